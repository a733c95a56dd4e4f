import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';

/** What a FleetOperator can say and live roll-outs do not do yet, and what to do instead. */
const NOT_YET: readonly (readonly [
  field: string,
  isAsked: (spec: FleetOperator['spec']) => boolean,
  instead: string,
])[] = [
  [
    'classic.operatorGroup.manage: Adopt',
    ({ classic }) => classic?.operatorGroup?.manage === 'Adopt',
    'set Use, and flotilla.dev/resolution-isolation on the group',
  ],
];

/** The first field of a FleetOperator that would be passed over in silence; undefined where there is none. */
export function notCarriedOut({ metadata, spec }: FleetOperator): string | undefined {
  const found = NOT_YET.find(([, isAsked]) => isAsked(spec));
  if (found === undefined) return undefined;
  const [field, , instead] = found;
  return `spec.${field} of FleetOperator ${metadata.namespace}/${metadata.name} is not carried out yet: ${instead}`;
}
