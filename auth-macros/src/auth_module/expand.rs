//! Writes the calls that put a module together. Nothing here can fail, and nothing here decides.
//!
//! What a host would ask its editor about, or the compiler would complain about, is spanned at the host's own words.
//! A provider is handed over by a function of its own trait: of one that lacks the trait the compiler then says that,
//! at the value, and nothing of what is called here.

use super::fallback;
use super::model::{Argument, Assembled, Module, Shared};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Lifetime};

/// A block whose value is the module. `errors` come along in it, when the host gets less than it wanted.
pub(crate) fn module(module: &Module, errors: Option<&TokenStream>) -> TokenStream {
    let errors = errors.map(fallback::errors);
    // The errors are a value that is dropped, unless they have to stand for the users.
    let (dropped, in_place) = if module.user_repo.is_some() { (errors, None) } else { (None, errors) };
    let dropped = dropped.into_iter().chain(module.strays.iter().map(ToTokens::to_token_stream));
    let for_editors = for_editors(module);
    let begin = begin(module, in_place);
    let shared = module.shared.iter().map(bind);
    let features = module.features.iter().map(|feature| call(module, feature));
    let events = module.events.as_ref().map(|given| option(module, "events", "EventSink", given));
    let store_interface = if module.has_instances { "SharedStore" } else { "EphemeralStore" };
    let store = module.store.as_ref().map(|given| option(module, "store", store_interface, given));
    let enabled = module.enabled.as_ref().map(enabled);
    let (builder, end) = (local("builder"), end(module));
    quote! {{
        #for_editors
        #(let _ = #dropped;)*
        #begin
        #(#shared)*
        let #builder = #builder #(#features)* #events #store;
        #enabled
        #end
    }}
}

/// All that the host wrote, for editors alone: they say what a word is, propose what there is where one is begun, and
/// complete a value that is no expression yet. It comes first, and the same whatever is wrong, for an editor finds its
/// place in the code by what stands before it.
fn for_editors(module: &Module) -> TokenStream {
    let (krate, values) = (&module.krate, &module.values);
    let words = ["keys", "actions", "delivery", "deployment", "features"].map(|kind| {
        let words = module.words.iter().filter(|named| named.kind == kind).map(|named| &named.word);
        let kind = Ident::new(kind, Span::call_site());
        quote!(#kind: [#(#words)*])
    });
    quote!(#krate::private::for_editors! { #(#words)* values: [#({ #values })*] })
}

/// `let builder = AuthModule::builder(…);`, the configuration first.
fn begin(module: &Module, errors: Option<TokenStream>) -> TokenStream {
    let krate = &module.krate;
    let (at_config, value) = match &module.config {
        Some((word, value)) => (word.span(), value.to_token_stream()),
        None => (Span::call_site(), fallback::config(krate)),
    };
    let user_repo = match &module.user_repo {
        Some((word, value)) => given(module, word.span(), "UserRepository", false, &arc(value)),
        None => errors.unwrap_or_default(),
    };
    let [configuration, users, builder] = ["configuration", "users", "builder"].map(local);
    let krate_at_config = krate.at(at_config);
    let config = quote_spanned!(at_config=> let #configuration: #krate_at_config::AuthConfig = #value;);
    quote! {
        #config
        let #users = #user_repo;
        let #builder = #krate::AuthModule::builder(#configuration, ::core::clone::Clone::clone(&#users));
    }
}

/// `let actions = Arc::new(…);`
fn bind(Shared { key, value }: &Shared) -> TokenStream {
    let (name, value) = (local(key), arc(value));
    quote!(let #name = #value;)
}

/// `.registration(…)`
fn call(module: &Module, feature: &Assembled) -> TokenStream {
    let method = Ident::new(feature.method, Span::call_site());
    let arguments = feature.arguments.iter().map(|argument| match argument {
        Argument::Own(provider, word, value) => {
            given(module, word.span(), provider.interface, provider.is_of_users(), &arc(value))
        }
        Argument::Shared(provider, shared) => {
            let (name, ends) = (local(shared.key), ends(&shared.value));
            let clone = called(quote!(::core::clone::Clone::clone), quote!(&#name), ends);
            given(module, feature.word.span(), provider.interface, provider.is_of_users(), &clone)
        }
        Argument::Missing(provider) => fallback::provider(&module.krate, provider),
    });
    quote!(.#method(#(#arguments),*))
}

/// `.events(…)`
fn option(module: &Module, method: &str, interface: &str, (word, value): &(Ident, Expr)) -> TokenStream {
    let method = Ident::new(method, Span::call_site());
    let value = given(module, word.span(), interface, false, &arc(value));
    quote!(.#method(#value))
}

/// `let builder = builder.enabled(…)?`, of which the question mark is at the word: a function that cannot fail is told
/// there.
fn enabled((word, features): &(Ident, Expr)) -> TokenStream {
    let (builder, place) = (local("builder"), word.span());
    let method = Ident::new("enabled", place);
    let call = parenthesized(quote!(#builder.#method(#features)), place);
    let question_mark = quote_spanned!(place=> ?);
    quote!(let #builder = #call #question_mark;)
}

/// `CreatesNewUsers::provided(&users, …)`, of which the function is where the host has a word for it.
fn given(module: &Module, word: Span, interface: &str, of_users: bool, value: &TokenStream) -> TokenStream {
    let (krate, interface) = (module.krate.at(word), Ident::new(interface, word));
    let function = quote_spanned!(word=> #krate::private::traits::#interface::provided);
    let users = of_users.then(|| local("users"));
    let users = users.map(|users| quote!(&#users,));
    quote!(#function(#users #value))
}

/// The module, at the users: if they are others than the host expects, that is where to say so. What is no module at all
/// is said of the whole, which comes first.
fn end(module: &Module) -> TokenStream {
    let builder = local("builder");
    let Some((_, value)) = &module.user_repo else { return quote!(#builder.build()) };
    let (krate, shell) = (&module.krate, module.krate.place());
    let (expected, label) = (Ident::new("expected", shell), Lifetime::new("'module", shell));
    let expected = quote_spanned! {shell=>
        if let ::core::option::Option::Some(#expected) = #krate::private::expected() {
            break #label #expected;
        }
    };
    let (first, last) = ends(value);
    let tuple = parenthesized(quote!(#builder.build(),), first);
    let mut field = Literal::usize_unsuffixed(0);
    field.set_span(last);
    quote! {
        #label: {
            #expected
            #tuple.#field
        }
    }
}

/// `(Arc::new)(…)`, which is where its value is.
fn arc(value: &Expr) -> TokenStream {
    called(quote!(::std::sync::Arc::new), value.to_token_stream(), ends(value))
}

/// A call that begins and ends in these places: what is wrong with what it answers is reported from the one to the other.
/// Only its parentheses are there: of a name an editor would say what it is, in place of the host's own.
fn called(function: TokenStream, argument: TokenStream, (first, last): (Span, Span)) -> TokenStream {
    let (function, argument) = (parenthesized(function, first), parenthesized(argument, last));
    quote!(#function #argument)
}

fn parenthesized(tokens: TokenStream, place: Span) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(place);
    group
}

/// The first and the last token of a value. They are all that can be had of its place.
fn ends(value: &Expr) -> (Span, Span) {
    let mut places = value.to_token_stream().into_iter().map(|token| token.span());
    let first = places.next().unwrap_or_else(Span::call_site);
    (first, places.last().unwrap_or(first))
}

/// A name that the host's expressions cannot see, whatever they call things.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
