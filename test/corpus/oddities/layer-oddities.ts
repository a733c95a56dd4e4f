import type { Damage, ExtraLayer, LayerShape } from '../bundles/bundle-draft.js';
import { ACCEPTED, type BundleOddity, unreadable } from './oddity.js';

/** An oddity of the image alone; the bundle is then read from the image, or from its layout. */
const shaped = (name: string, weight: number, slot: string, shape: Partial<LayerShape>): BundleOddity => ({
  name,
  weight,
  slot: `layers: ${slot}`,
  put: (draft, draws) => {
    draft.delivery = 'image';
    draft.asked = draws.oneOf(['image', 'layout'] as const);
    Object.assign(draft.layers, shape);
    return ACCEPTED;
  },
});

const withLayer = (layer: ExtraLayer, weight: number): BundleOddity =>
  shaped(`layers: ${layer}`, weight, 'extra', { extra: [layer], split: layer === 'overwritten' ? 'one' : 'each' });

/** The expected line about each damage: its subject and its words. */
export const DAMAGES: readonly Readonly<{ damage: Damage; place: string; words: readonly string[] }>[] = [
  { damage: 'layer lost', place: 'layer ', words: ['is missing', 'again'] },
  { damage: 'config lost', place: 'config ', words: ['is missing', 'again'] },
  { damage: 'manifest lost', place: 'manifest ', words: ['is missing', 'again'] },
  { damage: 'layer cut short', place: 'layer ', words: ['ended after', 'push the image again'] },
  { damage: 'layer emptied', place: 'layer ', words: ['ended after 0 of', 'push the image again'] },
  { damage: 'layer changed', place: 'layer ', words: ['came with digest', 'push the image again'] },
];

/** The image with such a damage: its one layer is that of no other image. */
export const damagedShape = (damage: Damage): Partial<LayerShape> => ({
  damage,
  ...(damage === 'manifest lost' && { index: 'platforms' }),
});

const damaged = ({ damage, place, words }: (typeof DAMAGES)[number]): BundleOddity => ({
  name: `image with its ${damage}`,
  weight: 1,
  slot: ['damage', 'split', 'extra', 'index', 'foreign'].map((slot) => `layers: ${slot}`).join('|'),
  put: (draft, draws) => {
    shaped('', 1, '', damagedShape(damage)).put(draft, draws);
    return unreadable([place], ...words);
  },
});

export const LAYER_ODDITIES: readonly BundleOddity[] = [
  shaped('paths that begin with ./', 300, 'prefix', { prefix: './' }),
  shaped('absolute paths', 1, 'prefix', { prefix: '/' }),
  shaped('no entries of directories', 600, 'directories', { directories: false }),
  shaped('a layer for each file', 800, 'split', { split: 'each' }),
  shaped('layers of zstd', 20, 'compression', { compression: 'zstd' }),
  shaped('layers without compression', 20, 'compression', { compression: 'none' }),
  shaped('foreign layers that the registry has', 2, 'foreign', { foreign: true }),
  shaped('manifests of Docker', 3_000, 'manifests', { manifests: 'docker' }),
  shaped('index of several platforms', 100, 'index', { index: 'platforms' }),
  shaped('index in an index', 5, 'index', { index: 'nested' }),
  shaped('index with attestations', 300, 'index', { index: 'attested' }),
  shaped('index with annotations', 20, 'index', { index: 'annotated' }),
  withLayer('empty', 400),
  withLayer('whiteout', 60),
  withLayer('opaque', 10),
  withLayer('overwritten', 200),
  withLayer('hard link', 5),
  withLayer('symbolic link', 20),
  ...DAMAGES.map(damaged),
  shaped('no labels', 30, 'labels', { labels: 'none' }),
  shaped('no labels but those of its builder', 5, 'labels', { labels: 'of its builder' }),
];
