//! Texture and surface objects.

use crate::abi::pointers::{In, Out};
use crate::abi::*;
use crate::process::call::export;
use crate::work::texture;

export! {
    fn cuTexObjectCreate(
        pTexObject: Out<u64>,
        pResDesc: In<ResourceDescriptor>,
        pTexDesc: In<TextureDescriptor>,
        pResViewDesc: In<ViewDescriptor>
    ) {
        let place = pTexObject.check()?;
        let view = if pResViewDesc.is_null() {
            None
        } else {
            Some(pResViewDesc.get()?)
        };
        place.set(texture::create(pResDesc.get()?, pTexDesc.get()?, view)?.handle)
    }

    fn cuTexObjectDestroy(texObject: u64) {
        texture::destroy(texObject)
    }

    fn cuTexObjectGetResourceDesc(pResDesc: Out<ResourceDescriptor>, texObject: u64) {
        pResDesc.set(texture::get(texObject)?.resource)
    }

    fn cuTexObjectGetTextureDesc(pTexDesc: Out<TextureDescriptor>, texObject: u64) {
        let sampler = texture::get(texObject)?.sampler;
        // Driver 580 does not write the border color.
        let border = pTexDesc.get()?.border;
        pTexDesc.set(TextureDescriptor { border, ..sampler })
    }

    fn cuTexObjectGetResourceViewDesc(pResViewDesc: Out<ViewDescriptor>, texObject: u64) {
        let view = texture::get(texObject)?.view;
        // An H200 (driver 580) returns a missing view as zeros.
        pResViewDesc.set(view.unwrap_or(ViewDescriptor::NONE))
    }

    fn cuSurfObjectCreate(pSurfObject: Out<u64>, pResDesc: In<ResourceDescriptor>) {
        let place = pSurfObject.check()?;
        place.set(texture::create_surface(pResDesc.get()?)?.handle)
    }

    fn cuSurfObjectDestroy(surfObject: u64) {
        texture::destroy_surface(surfObject)
    }

    fn cuSurfObjectGetResourceDesc(pResDesc: Out<ResourceDescriptor>, surfObject: u64) {
        pResDesc.set(texture::get_surface(surfObject)?.resource)
    }
}
