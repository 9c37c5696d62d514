//! Writes the two implementations. Nothing here can fail, and nothing here decides.
//!
//! Whatever asks for a trait of a field's type is spanned at that type, so that a type that will not do is reported
//! there. Paths start at the library or at `::core` and `::std`, so that nothing in the host's scope matters.

use super::bounds;
use super::model::{Mapped, User};
use super::role::Holds;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// `impl AuthUser` and `impl AuthUserMut`.
pub(crate) fn implementations(user: &User<'_>) -> TokenStream {
    let reading = reading(user);
    let writing = writing(user);
    quote! {
        #reading
        #writing
    }
}

fn reading(user: &User<'_>) -> TokenStream {
    let (ident, krate, id_type) = (user.ident, user.krate, user.id.ty);
    let (impl_generics, ty_generics, where_clause) = user.generics.split_for_impl();
    let required = || [&user.id].into_iter().chain(&user.columns);
    let field_names = required().map(field_name);
    let getters = required().chain(&user.is_active).map(|field| getter(user, field));
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::AuthUser for #ident #ty_generics #where_clause {
            type Id = #id_type;
            const FIELD_NAMES: #krate::private::FieldNames = #krate::private::FieldNames { #(#field_names),* };
            #(#getters)*
        }
    }
}

/// `name: "display_name"`
fn field_name(field: &Mapped<'_>) -> TokenStream {
    let role = format_ident!("{}", field.role.word);
    let name = field.name.unraw().to_string();
    quote!(#role: #name)
}

fn getter(user: &User<'_>, field: &Mapped<'_>) -> TokenStream {
    let (role, returns) = (format_ident!("{}", field.role.word), field.role.holds.returns(user.id.ty));
    let name = field.name;
    let body = match field.role.holds {
        Holds::Id => quote!(&self.#name),
        Holds::Flag => convert(user, field, "is_set", &quote!(&self.#name)),
        Holds::Text | Holds::NullableText => convert(user, field, "as_text", &quote!(&self.#name)),
        Holds::NullableTimestamp => convert(user, field, "to_system_time", &quote!(&self.#name)),
    };
    quote! {
        fn #role(&self) -> #returns {
            #body
        }
    }
}

fn writing(user: &User<'_>) -> TokenStream {
    let (ident, krate) = (user.ident, user.krate);
    let (id, id_type) = (user.id.name, user.id.ty);
    let generics = bounds::writing(&user.generics);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let arms = user.columns.iter().map(|column| arm(user, column));
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::user::AuthUserMut for #ident #ty_generics #where_clause {
            fn set_id(&mut self, id: #id_type) {
                self.#id = id;
            }

            fn set(
                &mut self,
                change: #krate::private::UserChange,
            ) -> ::core::result::Result<(), #krate::private::TimestampOutOfRange> {
                match change {
                    #(#arms)*
                }
                ::core::result::Result::Ok(())
            }
        }
    }
}

/// `UserChange::Name(value) => self.display_name = …,`
fn arm(user: &User<'_>, column: &Mapped<'_>) -> TokenStream {
    let (krate, name) = (user.krate, column.name);
    let change = format_ident!("{}", column.role.change());
    let value = match column.role.holds {
        Holds::NullableTimestamp => {
            let time = convert(user, column, "from_system_time", &quote!(value));
            quote!(#time?)
        }
        Holds::Id | Holds::Flag | Holds::Text | Holds::NullableText => {
            convert(user, column, "from_text", &quote!(value))
        }
    };
    quote!(#krate::private::UserChange::#change(value) => self.#name = #value,)
}

/// `<String as axum_auth_module::private::Text>::as_text(&self.name)`, at the field's type.
fn convert(user: &User<'_>, field: &Mapped<'_>, method: &str, argument: &TokenStream) -> TokenStream {
    let (krate, ty, span) = (user.krate, field.ty, type_span(field));
    let requirement = Ident::new(field.role.holds.requirement(), span);
    let method = Ident::new(method, span);
    quote_spanned!(span=> <#ty as #krate::private::#requirement>::#method(#argument))
}

/// Where the field's type is, in the scope of the macro, whatever macro of the host's wrote the struct.
fn type_span(field: &Mapped<'_>) -> Span {
    field.ty.span().resolved_at(Span::call_site())
}
