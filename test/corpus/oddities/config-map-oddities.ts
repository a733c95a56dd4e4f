import { mapAt } from '../bundles/bundle-draft.js';
import type { CatalogDraft } from '../catalogs/catalog-draft.js';
import type { YamlMap } from '../text/yaml-tree.js';
import type { CatalogOddity } from './catalog-oddities.js';
import { ACCEPTED, unreadable } from './oddity.js';

type Put = CatalogOddity['put'];
const ofConfigMap = (name: string, weight: number, slot: string, put: Put): CatalogOddity => ({
  ...{ name, weight, slot, put },
  kind: 'configMap',
});

const csvOf = ({ lists }: CatalogDraft): YamlMap => lists.clusterServiceVersions[0] as YamlMap;
const packageOf = ({ lists }: CatalogDraft): YamlMap => lists.packages[0] as YamlMap;

/** Catalogs in ConfigMaps: a CSV with its CRDs, and packages. */
export const CONFIG_MAP_ODDITIES: readonly CatalogOddity[] = [
  ofConfigMap('ConfigMap without any oddity', 20, 'none', () => ACCEPTED),
  ofConfigMap('package that is listed twice in a ConfigMap', 2, 'packages', (draft) => {
    const first = structuredClone(packageOf(draft));
    mapAt(first)['channels'] = [{ name: 'old', currentCSV: mapAt(csvOf(draft), 'metadata')['name'] }];
    mapAt(first)['defaultChannel'] = 'old';
    draft.lists.packages.unshift(first);
    return ACCEPTED;
  }),
  ofConfigMap('CRD with null labels in a ConfigMap', 2, 'crds', (draft) => {
    for (const crd of draft.lists.customResourceDefinitions)
      Object.assign(mapAt(crd as YamlMap, 'metadata'), { labels: null, annotations: null });
    return ACCEPTED;
  }),
  ofConfigMap('CSV with null members in a ConfigMap', 4, 'csv', (draft) => {
    for (const csv of [csvOf(draft), draft.bundle.csv.tree]) {
      mapAt(csv, 'metadata', 'annotations')['createdAt'] = null;
      Object.assign(mapAt(csv, 'spec'), { replaces: null, minKubeVersion: null, skips: null, icon: null });
    }
    return ACCEPTED;
  }),
  ofConfigMap('package of a ConfigMap whose name is no DNS name', 2, 'packages', (draft) => {
    draft.bundle.packageName = `Pkg_${draft.bundle.key}`;
    mapAt(packageOf(draft))['packageName'] = draft.bundle.packageName;
    return ACCEPTED;
  }),
  ofConfigMap('lists of a ConfigMap as JSON', 5, 'text', (draft) => {
    draft.listText = (key) => JSON.stringify(draft.lists[key as keyof typeof draft.lists]);
    return ACCEPTED;
  }),
  ofConfigMap('one channel that is not named as the default', 20, 'default', (draft) => {
    delete packageOf(draft)['defaultChannel'];
    return ACCEPTED;
  }),
  ofConfigMap('no key of packages in a ConfigMap', 1, 'text', (draft) => {
    draft.listText = (key, yaml) => (key === 'packages' ? undefined : yaml);
    return unreadable([''], 'packages');
  }),
  ofConfigMap('key of a ConfigMap that is no YAML', 1, 'text', (draft) => {
    draft.listText = (key, yaml) => (key === 'clusterServiceVersions' ? `${yaml}- {open\n` : yaml);
    return unreadable([''], 'clusterServiceVersions');
  }),
  ofConfigMap('channel of a ConfigMap whose CSV is not there', 1, 'packages', (draft) => {
    mapAt(packageOf(draft))['channels'] = [{ name: 'stable', currentCSV: 'ghost.v1.0.0' }];
    return unreadable([''], 'ghost.v1.0.0');
  }),
  ofConfigMap('annotation of a CSV that is no text in a ConfigMap', 1, 'csv', (draft) => {
    mapAt(csvOf(draft), 'metadata', 'annotations')['certified'] = true;
    return unreadable([''], 'certified');
  }),
];
