//! Implementations for a struct that cannot have correct ones.
//!
//! The host's other code uses the struct as a user record. Without these, each use would be a further error.

use super::bounds;
use super::field_types;
use super::parse::Record;
use super::role::{Holds, REQUIRED};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Implementations that compile and are never run: they come with a `compile_error!`.
pub(crate) fn implementations(record: &Record<'_>) -> TokenStream {
    let (ident, library, id_type) = (record.ident, &record.library, id_type(record));
    let (reading, writing) =
        (bounds::owned(record.generics), bounds::writing(&bounds::owned(record.generics)));
    let (impl_generics, ty_generics, reading) = reading.split_for_impl();
    let (_, _, writing) = writing.split_for_impl();
    let getters = REQUIRED.iter().map(|role| {
        let (name, returns) = (format_ident!("{}", role.word), role.holds.returns(&id_type));
        quote!(fn #name(&self) -> #returns { ::core::unreachable!() })
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics #library::AuthUser for #ident #ty_generics #reading {
            type Id = #id_type;
            fn realm() -> &'static ::core::primitive::str { ::core::unreachable!() }
            #(#getters)*
        }

        #[automatically_derived]
        impl #impl_generics #library::user::HasUsername for #ident #ty_generics #reading {}

        #[automatically_derived]
        impl #impl_generics #library::user::AuthUserMut for #ident #ty_generics #writing {
            fn set_id(&mut self, _: #id_type) {
                ::core::unreachable!()
            }

            fn set(
                &mut self,
                _: #library::private::UserChange,
            ) -> ::core::result::Result<(), #library::private::ChangeError> {
                ::core::unreachable!()
            }
        }
    }
}

/// The type of the field that seems to be the id, so that the host's uses of it compile. A generic type may lack the bounds of
/// an id, which would be a further error.
fn id_type(record: &Record<'_>) -> TokenStream {
    let fields = record.fields.as_deref().unwrap_or_default();
    let id = fields.iter().find(|field| match field.claim {
        Some((role, _)) => role.word == "id",
        None => field.name == "id",
    });
    match id {
        Some(field) if record.generics.params.is_empty() => {
            field_types::right(Holds::Id, field.ty, record.generics)
        }
        _ => quote!(::std::string::String),
    }
}
