import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '#core/kernel/api/fleet/fleet-kinds';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { editorSchema } from '#core/rollout/kinds/editor-schema';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Writes the CustomResourceDefinitions of the fleet kinds, and their schemas for editors. */
const folder = join(PROJECT_ROOT, 'k8s', 'crds', 'fleet');
const schemas = join(PROJECT_ROOT, 'k8s', 'schemas');
for (const one of [folder, schemas]) mkdirSync(one, { recursive: true });
for (const kind of Object.keys(ALL_FLEET_KINDS) as AnyFleetKind[]) {
  const crd = fleetCrd(kind);
  const [plural, ...group] = (crd.metadata.name ?? '').split('.');
  writeFileSync(join(folder, `${group.join('.')}_${plural}.yaml`), stringify(crd, { lineWidth: 140 }));
  const file = join(schemas, `${kind.toLowerCase()}_v1alpha1.json`);
  writeFileSync(file, `${JSON.stringify(editorSchema(kind), undefined, 2)}\n`);
}
