import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '#core/kernel/api/fleet/fleet-kinds';
import { fleetCrd } from '#core/rollout/kinds/custom-resource';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Writes the CustomResourceDefinitions of the fleet kinds from their schemas. */
const folder = join(PROJECT_ROOT, 'k8s', 'crds', 'fleet');
mkdirSync(folder, { recursive: true });
for (const kind of Object.keys(ALL_FLEET_KINDS) as AnyFleetKind[]) {
  const crd = fleetCrd(kind);
  const [plural, ...group] = (crd.metadata.name ?? '').split('.');
  writeFileSync(join(folder, `${group.join('.')}_${plural}.yaml`), stringify(crd, { lineWidth: 140 }));
}
