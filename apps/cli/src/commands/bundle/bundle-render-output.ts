import { stringify } from 'yaml';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { withSortedKeys } from '#core/kernel/json/sorted-keys';
import { jsonText } from '../../output/data-format.js';

export type OutputFormat = 'yaml' | 'json';

/** Objects in the order given, their keys sorted: as YAML documents, or as one List in JSON. */
export function printManifests(objects: readonly KubernetesObject[], format: OutputFormat): string {
  if (format === 'json') {
    const list = { apiVersion: 'v1', kind: 'List', items: withSortedKeys(objects) };
    return jsonText(list);
  }
  const documents = objects.map((object) =>
    // No anchors: a part that two objects share is written twice, as people expect of manifests.
    stringify(object, { aliasDuplicateObjects: false, indentSeq: false, lineWidth: 0, sortMapEntries: byKey }),
  );
  return documents.map((text) => `---\n${text}`).join('');
}

const byKey = (a: { key: unknown }, b: { key: unknown }): number => byCodeUnit(keyText(a.key), keyText(b.key));

const keyText = (key: unknown): string =>
  typeof key === 'object' && key !== null && 'value' in key ? String(key.value) : String(key);
