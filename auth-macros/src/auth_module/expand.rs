//! Writes the calls that put a module together. Nothing here can fail, and nothing here decides.
//!
//! What a host would ask its editor about, or the compiler would complain about, is spanned at the host's own words.

use super::fallback;
use super::model::{Argument, Assembled, Module};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned;

/// A block whose value is the module. `errors` come along in it, when the host gets less than it wanted.
pub(crate) fn module(module: &Module, errors: Option<&TokenStream>) -> TokenStream {
    let names = module.features.iter().map(|feature| names(module, feature));
    let builder = local("builder", Span::call_site());
    // Errors are statements, unless they have to stand for the users.
    let (errors, in_place) = if module.user_repo.is_some() { (errors, None) } else { (None, errors) };
    let begin = begin(module, &builder, in_place);
    let shared =
        [("actions", &module.actions), ("delivery", &module.delivery)].into_iter().filter_map(shared);
    let features = module.features.iter().map(|feature| call(module, feature));
    let options = [("events", &module.events), ("store", &module.store)].into_iter().filter_map(option);
    let enabled =
        module.enabled.as_ref().map(|(word, features)| quote_spanned!(word.span()=> .enabled(#features)?));
    quote! {{
        #errors
        #(#names)*
        #begin
        #(#shared)*
        #builder #(#features)* #(#options)* #enabled.build()
    }}
}

/// The feature's constant and the traits of its providers: nothing but the host's words, so that its editor knows
/// what they are.
fn names(module: &Module, feature: &Assembled) -> TokenStream {
    let (krate, word) = (&module.krate, &feature.word);
    let interfaces = feature.arguments.iter().filter_map(|argument| match argument {
        Argument::Own(interface, _) => Some(interface),
        Argument::OfActions | Argument::OfDelivery | Argument::Missing(_) => None,
    });
    quote! {
        #[allow(unused_imports, reason = "the names are looked up, not used")]
        const _: #krate::Feature = {
            #(use #krate::#interfaces as _;)*
            #krate::Feature::#word
        };
    }
}

/// `let builder = AuthModule::builder(…);`, the configuration first.
fn begin(module: &Module, builder: &Ident, errors: Option<&TokenStream>) -> TokenStream {
    let (at_config, config) = place_and_value(&module.config, || fallback::config(&module.krate));
    let (at_user_repo, user_repo) = place_and_value(&module.user_repo, || fallback::user_repo(errors));
    let name = local("config", at_config);
    let krate = module.krate.at(at_config);
    let config = quote_spanned!(at_config=> let #name: #krate::AuthConfig = #config;);
    let krate = module.krate.at(at_user_repo);
    let new = quote_spanned!(at_user_repo=> #krate::AuthModule::builder(#name, #user_repo));
    quote! {
        #config
        let #builder = #new;
    }
}

/// Where a key is, and its value or what stands in for it.
fn place_and_value(
    given: &Option<(Ident, Expr)>,
    missing: impl FnOnce() -> TokenStream,
) -> (Span, TokenStream) {
    match given {
        Some((word, value)) => (word.span(), value.to_token_stream()),
        None => (Span::call_site(), missing()),
    }
}

/// `let actions = Arc::new(…);`
fn shared((name, value): (&str, &Option<Expr>)) -> Option<TokenStream> {
    let value = value.as_ref()?;
    let name = local(name, value.span());
    Some(quote!(let #name = ::std::sync::Arc::new(#value);))
}

/// `.registration(…)`, at the feature's word.
fn call(module: &Module, feature: &Assembled) -> TokenStream {
    let method = Ident::new(feature.method, feature.word.span());
    let arguments = feature.arguments.iter().map(|argument| match argument {
        Argument::Own(_, value) => quote!(#value),
        Argument::OfActions => clone("actions", &module.actions),
        Argument::OfDelivery => clone("delivery", &module.delivery),
        Argument::Missing(provider) => fallback::provider(&module.krate, provider),
    });
    quote_spanned!(feature.word.span()=> .#method(#(#arguments),*))
}

/// `Clone::clone(&actions)`, at the host's value: there the compiler says what the value lacks.
fn clone(name: &str, value: &Option<Expr>) -> TokenStream {
    let span = value.span();
    let name = local(name, span);
    quote_spanned!(span=> ::core::clone::Clone::clone(&#name))
}

/// `.events(…)`, at its key.
fn option((method, given): (&str, &Option<(Ident, Expr)>)) -> Option<TokenStream> {
    let (word, value) = given.as_ref()?;
    let method = Ident::new(method, word.span());
    Some(quote_spanned!(word.span()=> .#method(#value)))
}

/// A name in this place that the host's expressions cannot see, whatever they call things.
fn local(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
}
