//! The rows as tokens, for the library's own `macro_rules!`.

use super::names::{self, missing_feature, requirement};
use super::{FEATURES, FeatureRow, OPTIONAL, Place, Provider, providers};
use crate::suggest;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Calls a macro with all rows: `callback! { features: […] own: […] … }`.
pub(crate) fn tokens(callback: &TokenStream) -> TokenStream {
    let features = FEATURES.iter().map(feature);
    let own = providers(Place::Own).map(|(_, provider)| own_key(provider));
    let [actions, delivery] = Place::SHARED.map(|place| {
        let rows = providers(place).map(|(_, provider)| names_of(provider));
        quote!(#(#rows)*)
    });
    let [about_actions, about_delivery] = Place::SHARED.map(table);
    quote! {
        #callback! {
            features: [#({ #features })*]
            own: [#({ #own })*]
            actions: #about_actions [#actions]
            delivery: #about_delivery [#delivery]
        }
    }
}

/// `Registration REGISTRATION "registration" "routes" "needs" [{ [With] [Required …] "message" } …]`
fn feature(row: &FeatureRow) -> TokenStream {
    let (variant, word) = (format_ident!("{}", names::variant(row.word)), format_ident!("{}", row.word));
    let (value, routes, needs) = (names::value(row.word), row.routes, needs(row));
    let variant_of = |word: &&str| format_ident!("{}", names::variant(word));
    let requires = row.requires.iter().map(|required| {
        let with = required.with.iter().map(variant_of);
        let any_of = required.any_of.iter().map(variant_of);
        let message = missing_feature(row, required);
        quote!({ [#(#with)*] [#(#any_of)*] #message })
    });
    quote!(#variant #word #value #routes #needs [#(#requires)*])
}

/// `{ word module::Trait }`
fn names_of(provider: &Provider) -> TokenStream {
    let [word, module, shown] =
        [provider.word, provider.module, provider.shown()].map(|name| format_ident!("{name}"));
    quote!({ #word #module #shown })
}

/// The same, with what an editor shows for the key.
fn own_key(provider: &Provider) -> TokenStream {
    let names = names_of(provider);
    let about = provider.about;
    let (first, rest) = about.split_at_checked(1).unwrap_or_default();
    let features = suggest::list(needing(provider), "and").replace('`', "");
    let doc = format!(
        "{}{rest}. Required with {features}.\n\n```ignore\n{}: {},\n```",
        first.to_uppercase(),
        provider.word,
        provider.example()
    );
    quote!(#names #doc)
}

/// The features that need a provider.
fn needing(provider: &Provider) -> impl Iterator<Item = &'static str> {
    let needs = |row: &&FeatureRow| row.needs.iter().any(|need| need.word == provider.word);
    FEATURES.iter().filter(needs).map(|row| row.word)
}

/// `Needs …`, for the documentation of a feature.
fn needs(row: &FeatureRow) -> String {
    let need = |provider: &Provider| match provider.place.key() {
        Some(key) => format!("`{}` in `{key}`", provider.word),
        None => format!("`{}`", provider.word),
    };
    let needs: Vec<_> = row.needs.iter().map(need).collect();
    let needs = match needs.split_last() {
        None => "no provider".to_owned(),
        Some((one, [])) => one.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    let mut text = format!("Needs {needs}.");
    for provider in OPTIONAL.iter().filter(|provider| provider.serves(row)) {
        text += &format!(" Uses {}.", need(provider));
    }
    if !row.requires.is_empty() {
        let all: Vec<_> = row.requires.iter().map(requirement).collect();
        text += &format!(" Requires {}.", all.join(", and "));
    }
    if !row.cargo_features.is_empty() {
        text += &format!(" Requires cargo feature {}.", suggest::list(row.cargo_features, "and"));
    }
    text
}

/// A table of the providers of a place, for the documentation of its key.
fn table(place: Place) -> String {
    let rows = providers(place).map(|(word, provider)| {
        let features: Vec<_> = needing(provider).collect();
        let with = provider.setting.as_ref().map(|setting| format!("optional: {}", setting.with.join(", ")));
        format!("\n| `{word}` | {} | {} |", with.unwrap_or(features.join(", ")), provider.about)
    });
    format!("| {} | required with | |\n|---|---|---|{}", place.kind(), rows.collect::<String>())
}
