import { isScalar } from './leaf-types.js';
import type { StructShape } from './type-shape.js';

/**
 * Members that Go leaves out or has as null when they are empty, and that every reader of ours takes for
 * granted, by struct.
 */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'core.ObjectReference': ['name'],
  'alpha.Subscription': ['spec'],
  'alpha.SubscriptionCatalogHealth': ['catalogSourceRef'],
  'alpha.InstallPlanSpec': ['clusterServiceVersionNames'],
  'alpha.InstallPlanStatus': ['catalogSources'],
  'alpha.InstallPlanCondition': ['type', 'status'],
  'olmv1.ClusterExtension': ['spec'],
  'olmv1.ClusterObjectSet': ['spec'],
  'olmv1.ClusterObjectSetSpec': ['lifecycleState'],
  'olmv1.ClusterObjectSetPhase': ['objects'],
  'olmv1.ProgressionProbe': ['selector', 'assertions'],
  'olmv1.ObjectSelector': ['type'],
  'olmv1.Assertion': ['type'],
  'olmv1.ConditionEqualProbe': ['type', 'status'],
  'olmv1.FieldsEqualProbe': ['fieldA', 'fieldB'],
  'olmv1.FieldValueProbe': ['fieldPath', 'value'],
};

const known = new WeakMap<StructShape, readonly string[]>();

/** Returns the members that an object has once it is read, even if it does not name them: not its status. */
export function presentMembers(struct: StructShape): readonly string[] {
  const names = known.get(struct) ?? membersOf(struct);
  known.set(struct, names);
  return names;
}

const membersOf = (struct: StructShape): string[] =>
  [...struct.members].flatMap(([name, { type, omit }]) => {
    const isWritten = omit === undefined && (type.is === 'leaf' ? isScalar(type.leaf) : type.is === 'struct');
    return (isWritten && name !== 'status') || EXPECTED[struct.name]?.includes(name) ? [name] : [];
  });
