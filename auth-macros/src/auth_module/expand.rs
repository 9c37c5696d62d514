//! Writes the calls that assemble a module. Nothing here can fail, and nothing here decides.
//!
//! Tokens have the span of the host's own word or value, so that editors and compiler errors show that place. A provider
//! is passed through a function of its own trait: if its type lacks the trait, the compiler reports that at the value, and
//! does not mention the builder.

use super::fallback;
use super::model::{Argument, FeatureCall, Module, SharedValue};
use crate::catalog::Provider;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Lifetime};

/// A block whose value is the module. It contains the errors, if there are any.
pub(crate) fn module(module: &Module, errors: Option<&TokenStream>) -> TokenStream {
    let errors = errors.map(fallback::errors);
    // The errors are a value that is dropped, or take the place of a missing repository.
    let (dropped, in_place) = if module.user_repo.is_some() { (errors, None) } else { (None, errors) };
    let dropped = dropped.into_iter().chain(module.unused.iter().map(ToTokens::to_token_stream));
    let for_editors = for_editors(module);
    let begin = begin(module, in_place);
    let shared = module.shared.iter().map(bind);
    let features = module.features.iter().map(|feature| call(module, feature));
    let messages = module.messages.as_ref().map(|given| messages(module, given));
    let events = module.events.as_ref().map(|given| option(module, "events", "EventSink", given));
    let verifier = module.password_verifier.as_ref();
    let verifier = verifier.map(|given| option(module, "password_verifier", "PasswordVerifier", given));
    let policy = module.policy.as_ref().map(|given| option(module, "policy", "Policy", given));
    let settings = module.settings.iter().map(|given| setting(module, given));
    let store_trait = if module.is_shared { "SharedStore" } else { "EphemeralStore" };
    let store = module.store.as_ref().map(|given| option(module, "store", store_trait, given));
    let realm = module.realm.as_ref().map(|(_, value)| quote!(.realm(#value)));
    let enabled = match &module.enabled {
        Some(given) => Some(enabled(given)),
        None => module.features.iter().find(|feature| feature.needs_option).map(checked),
    };
    let (builder, end) = (local("builder"), end(module));
    quote! {{
        #for_editors
        #(let _ = #dropped;)*
        #begin
        #(#shared)*
        let #builder = #builder #(#features)* #(#settings)* #messages #events #verifier #policy #store #realm;
        #enabled
        #end
    }}
}

/// Everything that the host wrote, for editors alone: they show what a word is, complete words, and complete values that
/// are no expressions yet. It comes first and does not depend on mistakes, because an editor finds the cursor by the tokens
/// before it.
fn for_editors(module: &Module) -> TokenStream {
    let (library, values) = (&module.library, &module.values);
    let words = ["keys", "actions", "delivery", "deployment", "features"].map(|kind| {
        let words = module.words.iter().filter(|named| named.kind == kind).map(|named| &named.word);
        let kind = Ident::new(kind, Span::call_site());
        quote!(#kind: [#(#words)*])
    });
    quote!(#library::private::for_editors! { #(#words)* values: [#({ #values })*] })
}

/// `let (builder, users) = (AuthModule::builder(…), …);`, with the configuration before it. A repository whose type is an error
/// makes both of them errors, from which the compiler reports nothing that follows.
fn begin(module: &Module, errors: Option<TokenStream>) -> TokenStream {
    let library = &module.library;
    let (at_config, value) = match &module.config {
        Some((word, value)) => (word.span(), value.to_token_stream()),
        None => (Span::call_site(), fallback::config(library)),
    };
    let [configuration, users, builder] = ["configuration", "users", "builder"].map(local);
    let (user_repo, provided) = match &module.user_repo {
        Some((word, value)) => {
            let shared = called(quote!(::std::sync::Arc::new), quote!(#users), ends(value));
            (value.to_token_stream(), given(module, word.span(), "UserRepository", false, &shared))
        }
        None => (errors.unwrap_or_default(), quote!(#users)),
    };
    let library_at_config = library.at(at_config);
    let config = quote_spanned!(at_config=> let #configuration: #library_at_config::AuthConfig = #value;);
    quote! {
        use #library::private::{BuildChecked as _, Passed as _};
        #config
        let (#builder, #users) = (#user_repo).passed_to(|#users| {
            let #users = #provided;
            (#library::AuthModule::builder(#configuration, ::core::clone::Clone::clone(&#users)), #users)
        });
    }
}

/// `let actions = Arc::new(…);`
fn bind(SharedValue { key, value }: &SharedValue) -> TokenStream {
    let (name, value) = (local(key), arc(value));
    quote!(let #name = #value;)
}

/// `.registration(…)`
fn call(module: &Module, feature: &FeatureCall) -> TokenStream {
    let method = Ident::new(&feature.method, Span::call_site());
    let record = feature.record.map(|trait_name| of_record(module, feature.word.span(), trait_name));
    let arguments = feature.arguments.iter().map(|argument| match argument {
        Argument::Named(provider, word, value) => provided(module, word.span(), provider, &arc(value)),
        Argument::Shared(provider, shared) => {
            let (name, ends) = (local(shared.key), ends(&shared.value));
            let clone = called(quote!(::core::clone::Clone::clone), quote!(&#name), ends);
            provided(module, feature.word.span(), provider, &clone)
        }
        Argument::Missing(provider) => fallback::provider(&module.library, provider),
    });
    let arguments = record.into_iter().chain(arguments);
    quote!(.#method(#(#arguments),*))
}

/// `.sessions(…)`
fn setting(module: &Module, (provider, word, value): &(&'static Provider, Ident, Expr)) -> TokenStream {
    let method = provider.setting.as_ref().map(|setting| Ident::new(setting.method, Span::call_site()));
    let value = provided(module, word.span(), provider, &arc(value));
    method.map(|method| quote!(.#method(#value))).unwrap_or_default()
}

/// `.messages(…)`. The type is at the word, so that a value of another type is reported at the value, for this word.
fn messages(module: &Module, (word, value): &(Ident, Expr)) -> TokenStream {
    let (messages, place) = (local("messages"), word.span());
    let library = module.library.at(place);
    let bound = quote_spanned!(place=> let #messages: #library::languages::Messages = #value;);
    quote!(.messages({ #bound #messages }))
}

/// `.events(…)`
fn option(module: &Module, method: &str, trait_name: &str, (word, value): &(Ident, Expr)) -> TokenStream {
    let method = Ident::new(method, Span::call_site());
    // The only trait here whose parameter is the user type.
    let of_users = trait_name == "Policy";
    let value = given(module, word.span(), trait_name, of_users, &arc(value));
    quote!(.#method(#value))
}

/// `let builder = builder.enabled(…)?`. The question mark has the span of the word, so that a surrounding function that
/// returns no `Result` is reported there.
fn enabled((word, features): &(Ident, Expr)) -> TokenStream {
    let (builder, place) = (local("builder"), word.span());
    let method = Ident::new("enabled", place);
    let call = parenthesized(quote!(#builder.#method(#features)), place);
    let question_mark = quote_spanned!(place=> ?);
    quote!(let #builder = #call #question_mark;)
}

/// `let builder = builder.checked()?`, at the word of a feature that requires an option of the configuration.
fn checked(feature: &FeatureCall) -> TokenStream {
    let (builder, place) = (local("builder"), feature.word.span());
    let method = Ident::new("checked", place);
    let call = parenthesized(quote!(#builder.#method()), place);
    let question_mark = quote_spanned!(place=> ?);
    quote!(let #builder = #call #question_mark;)
}

/// `Delivers::<PasswordResetMessage>::provided(…)`. The function has the span of the host's word.
fn provided(module: &Module, word: Span, provider: &Provider, value: &TokenStream) -> TokenStream {
    let Some(message) = provider.message else {
        let shared =
            provider.setting.as_ref().filter(|_| module.is_shared).and_then(|setting| setting.shared_trait);
        let trait_name = shared.unwrap_or(provider.trait_name);
        return given(module, word, trait_name, provider.is_of_users(), value);
    };
    let library = module.library.at(word);
    let [trait_name, message] = [provider.trait_name, message].map(|name| Ident::new(name, word));
    let traits = quote_spanned!(word=> #library::private::traits);
    quote_spanned!(word=> #traits::#trait_name::<#traits::#message>::provided(#value))
}

/// `CreatesNewUsers::provided(&users, …)`. The function has the span of the host's word.
fn given(module: &Module, word: Span, trait_name: &str, of_users: bool, value: &TokenStream) -> TokenStream {
    let (library, trait_name) = (module.library.at(word), Ident::new(trait_name, word));
    let function = quote_spanned!(word=> #library::private::traits::#trait_name::provided);
    let users = of_users.then(|| local("users"));
    let users = users.map(|users| quote!(&#users,));
    quote!(#function(#users #value))
}

/// `HasUsername::provided(record_of(&users))`, which a feature asks of the user record. All of it has the span of the feature's word.
fn of_record(module: &Module, word: Span, trait_name: &str) -> TokenStream {
    let (library, trait_name) = (module.library.at(word), Ident::new(trait_name, word));
    let users = local("users");
    let record = parenthesized(quote_spanned!(word=> #library::private::record_of(&#users)), word);
    quote_spanned!(word=> #library::private::traits::#trait_name::provided(#record))
}

/// The module. Its span is the repository's, so that a repository of another user type is reported there. The block comes
/// first, so that a call in a place where no module is expected is reported for the whole.
fn end(module: &Module) -> TokenStream {
    let builder = local("builder");
    let Some((_, value)) = &module.user_repo else { return quote!(#builder.build_checked()) };
    let (library, shell) = (&module.library, module.library.place());
    let (expected, label) = (Ident::new("expected", shell), Lifetime::new("'module", shell));
    let expected = quote_spanned! {shell=>
        if let ::core::option::Option::Some(#expected) = #library::private::expected() {
            break #label #expected;
        }
    };
    let (first, last) = ends(value);
    let tuple = parenthesized(quote!(#builder.build_checked(),), first);
    let mut field = Literal::usize_unsuffixed(0);
    field.set_span(last);
    quote! {
        #label: {
            #expected
            #tuple.#field
        }
    }
}

/// `(Arc::new)(…)`, with the span of the value.
fn arc(value: &Expr) -> TokenStream {
    called(quote!(::std::sync::Arc::new), value.to_token_stream(), ends(value))
}

/// `(function)(argument)`, whose parentheses have these spans: an error about the result underlines everything between them.
/// Only the parentheses have them, because an editor would show the documentation of a name instead of the host's own.
fn called(function: TokenStream, argument: TokenStream, (first, last): (Span, Span)) -> TokenStream {
    let (function, argument) = (parenthesized(function, first), parenthesized(argument, last));
    quote!(#function #argument)
}

fn parenthesized(tokens: TokenStream, place: Span) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(place);
    group
}

/// The spans of the first and the last token of a value. The stable compiler cannot join them.
fn ends(value: &Expr) -> (Span, Span) {
    let mut places = value.to_token_stream().into_iter().map(|token| token.span());
    let first = places.next().unwrap_or_else(Span::call_site);
    (first, places.last().unwrap_or(first))
}

/// A name that is hidden from the host's expressions.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
