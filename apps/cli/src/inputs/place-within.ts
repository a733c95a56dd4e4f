/**
 * `file:line` below a directory or an image, with the reference before it; in a catalog file the
 * place has its name already.
 */
export const placeWithin = (reference: string, place: string): string =>
  place.startsWith(`${reference}:`) ? place : `${reference.replace(/\/+$/, '')}/${place}`;
