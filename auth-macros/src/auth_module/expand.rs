//! Writes the calls that put a module together. Nothing here can fail, and nothing here decides.
//!
//! What a host would ask its editor about, or the compiler would complain about, is spanned at the host's own words.
//! A provider is handed over by a function of its own trait: of one that lacks the trait the compiler then says that,
//! at the value, and nothing of what is called here.

use super::fallback;
use super::model::{Argument, Assembled, Module, Named, Shared};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Lifetime};

/// A block whose value is the module. `errors` come along in it, when the host gets less than it wanted.
pub(crate) fn module(module: &Module, errors: Option<&TokenStream>) -> TokenStream {
    let errors = errors.map(fallback::errors);
    // The errors are a value that is dropped, unless they have to stand for the users.
    let (dropped, in_place) = if module.user_repo.is_some() { (errors, None) } else { (None, errors) };
    let dropped = dropped.into_iter().chain(module.strays.iter().map(ToTokens::to_token_stream));
    let words = words(module);
    let begin = begin(module, in_place);
    let shared = module.shared.iter().map(bind);
    let features = module.features.iter().map(|feature| call(module, feature));
    let events = module.events.as_ref().map(|given| option(module, "events", "EventSink", given));
    let store_interface = if module.has_instances { "SharedStore" } else { "EphemeralStore" };
    let store = module.store.as_ref().map(|given| option(module, "store", store_interface, given));
    let enabled = module.enabled.as_ref().map(enabled);
    let (builder, end) = (local("builder", Span::call_site()), end(module));
    quote! {{
        #(let _ = #dropped;)*
        #words
        #begin
        #(#shared)*
        let #builder = #builder #(#features)* #events #store;
        #enabled
        #end
    }}
}

/// The host's words, as names of what says in an editor what they are. Those that there are not may be about to be
/// written: an editor then proposes what there is, and the compiler is not asked.
fn words(module: &Module) -> TokenStream {
    let names = module.words.iter().map(|Named { module: kind, word, is_known }| {
        let (krate, kind) = (&module.krate, Ident::new(kind, Span::call_site()));
        let name = quote!(use #krate::private::words::#kind::#word as _;);
        if *is_known { name } else { quote!(#krate::private::to_editors! { #name }) }
    });
    quote! {
        #[allow(unused_imports, reason = "the words are looked up, not used")]
        const _: () = { #(#names)* };
    }
}

/// `let builder = AuthModule::builder(…);`, the configuration first.
fn begin(module: &Module, errors: Option<TokenStream>) -> TokenStream {
    let krate = &module.krate;
    let (at_config, config) = match &module.config {
        Some((word, value)) => (word.span(), value.to_token_stream()),
        None => (Span::call_site(), fallback::config(krate)),
    };
    let user_repo = match &module.user_repo {
        Some((word, value)) => given(module, word.span(), "UserRepository", false, &arc(value)),
        None => errors.unwrap_or_default(),
    };
    let (name, at_config_krate) = (local("config", at_config), krate.at(at_config));
    let config = quote_spanned!(at_config=> let #name: #at_config_krate::AuthConfig = #config;);
    let (users, builder) = (local("users", Span::call_site()), local("builder", Span::call_site()));
    quote! {
        #config
        let #users = #user_repo;
        let #builder = #krate::AuthModule::builder(#name, ::core::clone::Clone::clone(&#users));
    }
}

/// `let actions = Arc::new(…);`
fn bind(Shared { key, value }: &Shared) -> TokenStream {
    let (name, value) = (local(key, value.span()), arc(value));
    quote!(let #name = #value;)
}

/// `.registration(…)`, at the feature's word.
fn call(module: &Module, feature: &Assembled) -> TokenStream {
    let place = feature.word.span();
    let method = Ident::new(feature.method, place);
    let arguments = feature.arguments.iter().map(|argument| match argument {
        Argument::Own(provider, word, value) => {
            given(module, word.span(), provider.interface, provider.is_of_users(), &arc(value))
        }
        Argument::Shared(provider, shared) => {
            let Shared { key, value } = shared.as_ref();
            let name = local(key, value.span());
            let clone =
                over(value, |place| quote_spanned!(place=> ::core::clone::Clone::clone), quote!(&#name));
            given(module, place, provider.interface, provider.is_of_users(), &clone)
        }
        Argument::Missing(provider) => fallback::provider(&module.krate, provider),
    });
    quote_spanned!(place=> .#method(#(#arguments),*))
}

/// `.events(…)`, at its key.
fn option(module: &Module, method: &str, interface: &str, (word, value): &(Ident, Expr)) -> TokenStream {
    let place = word.span();
    let (method, value) = (Ident::new(method, place), given(module, place, interface, false, &arc(value)));
    quote_spanned!(place=> .#method(#value))
}

/// `let builder = builder.enabled(…)?`, of which the question mark is at the word: a function that cannot fail is told
/// there.
fn enabled((word, features): &(Ident, Expr)) -> TokenStream {
    let builder = local("builder", Span::call_site());
    let mut call =
        Group::new(Delimiter::Parenthesis, quote_spanned!(word.span()=> #builder.enabled(#features)));
    call.set_span(word.span());
    let question_mark = quote_spanned!(word.span()=> ?);
    quote!(let #builder = #call #question_mark;)
}

/// `CreatesNewUsers::provided(&users, …)`, the trait named where the host has a word for it.
fn given(module: &Module, word: Span, interface: &str, of_users: bool, value: &TokenStream) -> TokenStream {
    let (krate, interface) = (module.krate.at(word), Ident::new(interface, word));
    let function = quote_spanned!(word=> #krate::#interface::provided);
    let users = of_users.then(|| local("users", Span::call_site()));
    let users = users.map(|users| quote!(&#users,));
    quote!(#function(#users #value))
}

/// The module, at the users: if they are others than the host expects, that is where to say so. What is no module at all
/// is said of the whole, which comes first.
fn end(module: &Module) -> TokenStream {
    let builder = local("builder", Span::call_site());
    let Some((_, value)) = &module.user_repo else { return quote!(#builder.build()) };
    let (krate, shell) = (&module.krate, module.krate.place());
    let (expected, label) = (Ident::new("expected", shell), Lifetime::new("'module", shell));
    let ask = quote_spanned! {shell=>
        if let ::core::option::Option::Some(#expected) = #krate::private::expected() {
            break #label #expected;
        }
    };
    let at_users = Ident::new("module", value.span());
    quote! {
        #label: {
            #ask
            let #at_users = #builder.build();
            #at_users
        }
    }
}

/// `Arc::new(…)`, where its value is.
fn arc(value: &Expr) -> TokenStream {
    over(value, |place| quote_spanned!(place=> ::std::sync::Arc::new), value.to_token_stream())
}

/// A function, called where this value of the host's begins and ends: what is wrong with what it answers is reported
/// there.
fn over(value: &Expr, function: fn(Span) -> TokenStream, argument: TokenStream) -> TokenStream {
    let (first, last) = ends(value);
    let function = function(first);
    let mut argument = Group::new(Delimiter::Parenthesis, argument);
    argument.set_span(last);
    quote!(#function #argument)
}

/// The first and the last token of a value. They are all that can be had of its place.
fn ends(value: &Expr) -> (Span, Span) {
    let mut places = value.to_token_stream().into_iter().map(|token| token.span());
    let first = places.next().unwrap_or_else(Span::call_site);
    (first, places.last().unwrap_or(first))
}

/// A name in this place that the host's expressions cannot see, whatever they call things.
fn local(name: &str, place: Span) -> Ident {
    Ident::new(name, Span::mixed_site().located_at(place))
}
