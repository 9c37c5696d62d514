//! Writes the two implementations. Nothing here can fail, and nothing here decides.
//!
//! Code that needs a trait of a field's type has the span of that type, so that a wrong type is reported there. Paths start at
//! the library or at `::core` and `::std`, so that names in the host's scope do not matter.

use super::bounds;
use super::model::User;
use super::role::{Holds, IS_ACTIVE, Mapped, PASSWORD, SUSPENDED_AT, USERNAME};
use crate::crate_path::CratePath;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Generics;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// `impl AuthUser` and `impl AuthUserMut`, and `impl HasUsername` if a field is the user name.
pub(crate) fn implementations(user: &User<'_>) -> TokenStream {
    let (reading, writing, has_username) = (reading(user), writing(user), has_username(user));
    quote!(#reading #writing #has_username)
}

fn reading(user: &User<'_>) -> TokenStream {
    let (ident, library, id_type) = (user.ident, user.library, user.id.ty);
    let (impl_generics, ty_generics, where_clause) = user.generics.split_for_impl();
    let required = || [&user.id].into_iter().chain(&user.columns);
    let field_names = required().chain(username(user)).filter_map(|field| field_name(library, field));
    let of_getters = |field: &&Mapped<'_>| ![IS_ACTIVE, SUSPENDED_AT, USERNAME].contains(&field.role.word);
    let own = user.optional.iter().filter(of_getters);
    let getters = required().chain(own).map(|field| getter(user, field)).chain(username_getter(user));
    let is_active = is_active(user);
    let realm = realm(ident, &user.generics);
    let nullable_password = nullable_password(user);
    quote! {
        #[automatically_derived]
        impl #impl_generics #library::AuthUser for #ident #ty_generics #where_clause {
            type Id = #id_type;
            const FIELD_NAMES: #library::private::FieldNames = #library::private::FieldNames::STANDARD #(#field_names)*;
            #nullable_password
            #realm
            #(#getters)*
            #is_active
        }
    }
}

/// `fn is_active`, if a field says whether the account is active. If two fields do, both must say it.
fn is_active(user: &User<'_>) -> Option<TokenStream> {
    let conditions = user.optional.iter().filter_map(|field| {
        let name = field.name;
        match field.role.word {
            IS_ACTIVE => Some(convert(user, field, "is_set", &quote!(&self.#name))),
            SUSPENDED_AT => {
                let time = convert(user, field, "to_system_time", &quote!(&self.#name));
                Some(quote!(::core::option::Option::is_none(&#time)))
            }
            _ => None,
        }
    });
    let conditions: Vec<_> = conditions.collect();
    (!conditions.is_empty())
        .then(|| quote!(fn is_active(&self) -> ::core::primitive::bool { #(#conditions)&&* }))
}

/// The field of the user name.
fn username<'a>(user: &'a User<'_>) -> Option<&'a Mapped<'a>> {
    user.optional.iter().find(|field| field.role.word == USERNAME)
}

/// `const USERNAME` and `fn username`, if a field is the user name.
fn username_getter(user: &User<'_>) -> Option<TokenStream> {
    let field = username(user)?;
    let (library, name) = (user.library, field.name);
    let text = convert(user, field, "as_text", &quote!(&self.#name));
    let (kind, body) = match field.holds.is_nullable() {
        true => (quote!(Optional), text),
        false => (quote!(Required), quote!(::core::option::Option::Some(#text))),
    };
    Some(quote! {
        const USERNAME: #library::private::UsernameField = #library::private::UsernameField::#kind;

        fn username(&self) -> ::core::option::Option<&::core::primitive::str> {
            #body
        }
    })
}

/// `impl HasUsername`, if a field is the user name.
fn has_username(user: &User<'_>) -> Option<TokenStream> {
    username(user)?;
    let (ident, library) = (user.ident, user.library);
    let (impl_generics, ty_generics, where_clause) = user.generics.split_for_impl();
    Some(quote! {
        #[automatically_derived]
        impl #impl_generics #library::user::HasUsername for #ident #ty_generics #where_clause {}
    })
}

/// `const NULLABLE_PASSWORD`, if the field of the password is an `Option`.
fn nullable_password(user: &User<'_>) -> Option<TokenStream> {
    let is_nullable =
        |field: &Mapped<'_>| field.role.word == PASSWORD && matches!(field.holds, Holds::TextOrNull);
    user.columns.iter().any(is_nullable).then(|| {
        quote!(
            const NULLABLE_PASSWORD: ::core::primitive::bool = true;
        )
    })
}

/// The struct's path. Only the compiler knows the types that stand for the parameters of a generic one.
fn realm(ident: &Ident, generics: &Generics) -> TokenStream {
    let name = ident.unraw().to_string();
    let path = match generics.params.is_empty() {
        true => quote!(::core::concat!(::core::module_path!(), "::", #name)),
        false => quote!(::core::any::type_name::<Self>()),
    };
    quote!(fn realm() -> &'static ::core::primitive::str { #path })
}

/// `.with(UserField::Name, "display_name")`, if the field has not the name of its role.
fn field_name(library: &CratePath, field: &Mapped<'_>) -> Option<TokenStream> {
    let (role, name) = (format_ident!("{}", field.role.change()), field.name.unraw().to_string());
    (name != field.role.word).then(|| quote!(.with(#library::private::UserField::#role, #name)))
}

fn getter(user: &User<'_>, field: &Mapped<'_>) -> TokenStream {
    let (role, returns) = (format_ident!("{}", field.role.word), field.holds.returns(user.id.ty));
    let name = field.name;
    let library = user.library;
    let body = match field.holds {
        Holds::Id => quote!(&self.#name),
        Holds::Flag => convert(user, field, "is_set", &quote!(&self.#name)),
        Holds::Text | Holds::NullableText => convert(user, field, "as_text", &quote!(&self.#name)),
        Holds::TextOrNull => {
            let text = convert(user, field, "as_text", &quote!(&self.#name));
            quote!(#library::private::or_empty(#text))
        }
        Holds::NullableTimestamp => convert(user, field, "to_system_time", &quote!(&self.#name)),
    };
    quote! {
        fn #role(&self) -> #returns {
            #body
        }
    }
}

fn writing(user: &User<'_>) -> TokenStream {
    let (ident, library) = (user.ident, user.library);
    let (id, id_type) = (user.id.name, user.id.ty);
    let generics = bounds::writing(&user.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let arms = user.columns.iter().chain(username(user)).map(|column| arm(user, column));
    quote! {
        #[automatically_derived]
        impl #impl_generics #library::user::AuthUserMut for #ident #ty_generics #where_clause {
            fn set_id(&mut self, id: #id_type) {
                self.#id = id;
            }

            fn set(
                &mut self,
                change: #library::private::UserChange,
            ) -> ::core::result::Result<(), #library::private::ChangeError> {
                match change {
                    #(#arms)*
                    unknown => return ::core::result::Result::Err(
                        #library::private::ChangeError::UnknownField(unknown.field())
                    ),
                }
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// `UserChange::Name(value) => self.display_name = …,`
fn arm(user: &User<'_>, column: &Mapped<'_>) -> TokenStream {
    let (library, name) = (user.library, column.name);
    let change = format_ident!("{}", column.role.change());
    let value = match column.holds {
        Holds::NullableTimestamp => {
            let time = convert(user, column, "from_system_time", &quote!(value));
            quote!(#time?)
        }
        Holds::TextOrNull => convert(user, column, "from_text", &quote!(#library::private::or_null(value))),
        // The change of a user name is one to null as well.
        Holds::Text if column.role.word == USERNAME => {
            convert(user, column, "from_text", &quote!(#library::private::not_null(value)?))
        }
        Holds::Id | Holds::Flag | Holds::Text | Holds::NullableText => {
            convert(user, column, "from_text", &quote!(value))
        }
    };
    quote!(#library::private::UserChange::#change(value) => self.#name = #value,)
}

/// `<String as axum_auth_module::private::Text>::as_text(&self.name)`, at the field's type.
fn convert(user: &User<'_>, field: &Mapped<'_>, method: &str, argument: &TokenStream) -> TokenStream {
    let (library, ty, span) = (user.library, field.ty, type_span(field));
    let requirement = Ident::new(field.holds.requirement(), span);
    let method = Ident::new(method, span);
    quote_spanned!(span=> <#ty as #library::private::#requirement>::#method(#argument))
}

/// The place of the field's type, in the scope of this macro, even if a macro of the host wrote the struct.
fn type_span(field: &Mapped<'_>) -> Span {
    field.ty.span().resolved_at(Span::call_site())
}
