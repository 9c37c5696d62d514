//! Compares what is needed with what is given. What to type is said in the same message.

use super::catalog::{Deployment, FEATURES, Feature, KEYS, Key, Place, Provider, providers};
use super::features::{List, Listed};
use super::parse::{Input, Providers};
use super::words::Slot;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Ident, Span};

/// Reports what is missing and what is given for nothing.
pub(crate) fn check(input: &Input, list: &List, errors: &mut Errors) {
    if input.whole {
        report_missing_keys(input, errors);
    }
    report_missing(input, list, errors);
    report_no_store(input, errors);
    if list.complete {
        report_unneeded(input, list, errors);
    }
}

/// Reports each key without which there is no module. There is no word to change, so it points at the first, before
/// which there is room.
fn report_missing_keys(input: &Input, errors: &mut Errors) {
    let place = input.beside.words.first().map_or_else(Span::call_site, |word| word.written.span());
    let features = suggest::list(FEATURES.iter().map(|feature| feature.word), "and");
    let features = format!("// With what it offers, of {features}:\n    ");
    for (word, key) in KEYS {
        let (is_given, missing, remark) = match key {
            Key::Config => {
                (input.config.is_given(), "`config` is missing: the module's secrets and options", "")
            }
            Key::Features => (
                input.features.is_given(),
                "`features` is missing: what the module offers",
                features.as_str(),
            ),
            Key::UserRepo => (
                input.user_repo.is_given(),
                "Missing provider: USER_REPOSITORY. Register an implementation of UserRepository.",
                "// That of cargo feature `sqlite`, or your own `axum_auth_module::repository::UserRepository`:\n    ",
            ),
            // Asked for by features, or by nothing.
            Key::PasswordResetRepo
            | Key::Actions
            | Key::Delivery
            | Key::Events
            | Key::Store
            | Key::Deployment => continue,
        };
        if !is_given {
            let example = key.example();
            errors.report(place, format!("{missing}\n\nhelp: add here:\n    {remark}{word}: {example},"));
        }
    }
}

/// Reports that several instances have nothing to share.
fn report_no_store(input: &Input, errors: &mut Errors) {
    let many = input.deployment.value().filter(|(_, deployment)| *deployment == Deployment::Many);
    if let Some((many, _)) = many.filter(|_| !input.store.is_given()) {
        errors.report(
            many.span(),
            "`deployment: many` needs a store that all instances share\n\n\
             help: add:\n    \
             // Your own `axum_auth_module::store::EphemeralStore` over what they all reach, marked with `axum_auth_module::store::SharedStore`:\n    \
             store: shared_store.clone(),\n\
             note: in memory each instance would have its own: a session that is logged out at one would go on at the \
             others, and each would count attempts for itself",
        );
    }
}

/// Whether this provider is given. One whose value could not be read is: that has been reported.
fn is_given(input: &Input, provider: &Provider) -> bool {
    let Some(slot) = input.providers(provider.place) else { return input.password_reset_repo.is_given() };
    match slot.value() {
        Some(Providers::Each(each)) => {
            each.iter().any(|(known, slot)| known.word == provider.word && slot.is_given())
        }
        Some(Providers::One(_)) => true,
        None => slot.is_given(),
    }
}

fn report_missing(input: &Input, list: &List, errors: &mut Errors) {
    let missing: Vec<Missing<'_>> = list
        .features
        .iter()
        .flat_map(|listed| listed.feature.needs.iter().map(move |provider| Missing { listed, provider }))
        .filter(|missing| !is_given(input, missing.provider))
        .collect();
    for one in &missing {
        let has_key = input.providers(one.provider.place).is_some_and(Slot::is_given);
        errors.report(one.listed.word.span(), one.message(&missing, has_key));
    }
}

/// A provider that is missing, and the feature that asks for it.
struct Missing<'a> {
    listed: &'a Listed,
    provider: &'static Provider,
}

impl Missing<'_> {
    /// What to say. Where the key for such providers is missing too, the help is all of it, with everything that
    /// goes in it, so that it can be pasted once whichever of the messages it is taken from.
    fn message(&self, missing: &[Self], has_key: bool) -> String {
        let place = self.provider.place;
        let help = match place.key() {
            None => format!("help: add:{}", lines(self.provider, 1)),
            Some(key) if has_key => format!("help: add to `{key}`:{}", lines(self.provider, 1)),
            Some(key) => {
                let alike = missing.iter().filter(|other| other.provider.place == place);
                let lines: String = alike.map(|other| lines(other.provider, 2)).collect();
                format!("help: add:\n    {key}: {{{lines}\n    }},")
            }
        };
        format!("{}\n\n{help}\nnote: {} asks for it", self.provider.missing, self.listed.feature.word)
    }
}

/// The lines to paste for a provider: its first choice, and the others as comments.
fn lines(provider: &Provider, depth: usize) -> String {
    let begin = format!("\n{}", "    ".repeat(depth));
    let choice = |(number, (remark, value)): (usize, &(&str, &str))| {
        let remark = if remark.is_empty() { String::new() } else { format!("{begin}// {remark}") };
        let comment = if number == 0 { "" } else { "// " };
        format!("{remark}{begin}{comment}{}: {value},", provider.word)
    };
    provider.choices.iter().enumerate().map(choice).collect()
}

/// Reports what is given and needed by no listed feature: the host may believe that it is in use.
fn report_unneeded(input: &Input, list: &List, errors: &mut Errors) {
    for place in [Place::PasswordResetRepo, Place::Actions, Place::Delivery] {
        let all: Vec<_> = providers(place).map(|(_, provider)| provider).collect();
        match input.providers(place).map(|slot| (slot, slot.value())) {
            None => report_if_unneeded(input.password_reset_repo.exact_word(), &all, list, errors),
            Some((slot, Some(Providers::One(_)))) => {
                report_if_unneeded(slot.exact_word(), &all, list, errors);
            }
            Some((_, Some(Providers::Each(each)))) => {
                for (provider, slot) in each {
                    report_if_unneeded(slot.exact_word(), &[provider], list, errors);
                }
            }
            Some((_, None)) => {}
        }
    }
}

/// Reports a word that the host gave for these providers, unless a listed feature needs one of them.
fn report_if_unneeded(word: Option<&Ident>, providers: &[&Provider], list: &List, errors: &mut Errors) {
    let asks = |feature: &Feature| {
        feature.needs.iter().any(|need| providers.iter().any(|provider| provider.word == need.word))
    };
    let Some(word) = word.filter(|_| !list.features.iter().any(|listed| asks(listed.feature))) else {
        return;
    };
    let asking = FEATURES.iter().filter(|feature| asks(feature)).map(|feature| feature.word);
    let message = format!(
        "`{word}` is given, and no listed feature asks for it\n\nhelp: leave it out, or list {}",
        suggest::list(asking, "or")
    );
    errors.report(word.span(), message);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of each feature when all of its providers are missing.
    #[test]
    fn every_missing_provider_says_what_to_type() {
        let mut texts = Vec::new();
        for feature in &FEATURES {
            let word = Ident::new(feature.word, Span::call_site());
            let listed = Listed { word, feature, exact: true };
            let missing: Vec<_> =
                feature.needs.iter().map(|provider| Missing { listed: &listed, provider }).collect();
            texts.extend(missing.iter().map(|one| one.message(&missing, false)));
        }
        insta::assert_snapshot!(texts.join("\n----\n"));
    }
}
