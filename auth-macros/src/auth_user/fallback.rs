//! What stands in for the implementations of a struct that cannot have them.
//!
//! The host's other code goes on to use the struct as a user record. Without these, each such place would be an
//! error too, and the one that counts would be hard to find among them.

use super::bounds;
use super::parse::Record;
use super::role::{Holds, REQUIRED};
use super::types;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// Implementations that compile and are never run: they come with a `compile_error!`.
pub(crate) fn implementations(record: &Record<'_>) -> TokenStream {
    let (ident, krate, id_type) = (record.ident, &record.krate, id_type(record));
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
        impl #impl_generics #krate::AuthUser for #ident #ty_generics #reading {
            type Id = #id_type;
            #(#getters)*
        }

        #[automatically_derived]
        impl #impl_generics #krate::user::AuthUserMut for #ident #ty_generics #writing {
            fn set_id(&mut self, _: #id_type) {
                ::core::unreachable!()
            }

            fn set(
                &mut self,
                _: #krate::private::UserChange,
            ) -> ::core::result::Result<(), #krate::private::TimestampOutOfRange> {
                ::core::unreachable!()
            }
        }
    }
}

/// The type of the field that looks like the id, so that the host's uses of it check. A generic one might lack the
/// bounds that an id needs, and would be an error of its own.
fn id_type(record: &Record<'_>) -> TokenStream {
    let fields = record.fields.as_deref().unwrap_or_default();
    let id = fields.iter().find(|field| match field.claim {
        Some((role, _)) => role.word == "id",
        None => field.name == "id",
    });
    match id {
        Some(field) if record.generics.params.is_empty() => {
            types::right(Holds::Id, field.ty, record.generics)
        }
        _ => quote!(::std::string::String),
    }
}
