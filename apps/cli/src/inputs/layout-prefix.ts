/** Begins a reference to an image in an OCI layout: `oci:DIR[:TAG]`. */
export const LAYOUT_PREFIX = 'oci:';
