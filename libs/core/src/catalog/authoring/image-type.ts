import { Buffer } from 'node:buffer';

type Signature = Readonly<{ type: string; at: readonly Readonly<{ offset: number; bytes: string }>[] }>;

const starts = (type: string, bytes: string): Signature => ({ type, at: [{ offset: 0, bytes }] });

/**
 * The first bytes of the kinds of images that consoles show, and of a few files that are
 * taken for images by mistake.
 */
const SIGNATURES: readonly Signature[] = [
  starts('image/jpeg', '\xff\xd8\xff'),
  starts('image/png', '\x89PNG'),
  starts('image/gif', 'GIF'),
  { type: 'image/webp', at: [{ offset: 8, bytes: 'WEBP' }] },
  starts('image/tiff', 'II*\0'),
  starts('image/tiff', 'MM\0*'),
  starts('image/bmp', 'BM'),
  starts('image/x-icon', '\0\0\x01\0'),
  starts('application/pdf', '%PDF'),
  starts('application/zip', 'PK\x03\x04'),
  starts('application/gzip', '\x1f\x8b\x08'),
];

/** How much of a text is searched for its first element, in characters. */
const TEXT_LENGTH = 4096;

/**
 * Returns the media type of a file from its bytes, or the empty text if it is not known. SVG has no signature
 * and is known by its root element.
 */
export function mediaTypeOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, TEXT_LENGTH)).toString('latin1');
  const known = SIGNATURES.find(({ at }) => at.every((part) => text.startsWith(part.bytes, part.offset)));
  return known?.type ?? (SVG.test(text) ? 'image/svg+xml' : '');
}

const SVG = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/;
