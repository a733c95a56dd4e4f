import type { ProgressionProbe } from '../../kernel/api/cluster-object-set.js';
import { CRD_GROUP } from '../../kernel/api/kinds.js';

const ofKind = (group: string, kind: string): ProgressionProbe['selector'] => ({
  type: 'GroupKind',
  groupKind: { group, kind },
});
const isTrue = (type: string): ProgressionProbe['assertions'][number] => ({
  type: 'ConditionEqual',
  conditionEqual: { type, status: 'True' },
});
const hasValue = (fieldPath: string, value: string): ProgressionProbe['assertions'][number] => ({
  type: 'FieldValue',
  fieldValue: { fieldPath, value },
});
const UPDATED: ProgressionProbe['assertions'][number] = {
  type: 'FieldsEqual',
  fieldsEqual: { fieldA: 'status.updatedReplicas', fieldB: 'status.replicas' },
};

/**
 * Probes that decide when an object of these kinds is ready. Any other is ready as soon as it is applied
 * (spec: v1-apply.md §7.6).
 */
export const DEFAULT_PROBES: readonly ProgressionProbe[] = [
  { selector: ofKind('', 'Namespace'), assertions: [hasValue('status.phase', 'Active')] },
  { selector: ofKind('', 'PersistentVolumeClaim'), assertions: [hasValue('status.phase', 'Bound')] },
  { selector: ofKind(CRD_GROUP, 'CustomResourceDefinition'), assertions: [isTrue('Established')] },
  { selector: ofKind('cert-manager.io', 'Certificate'), assertions: [isTrue('Ready')] },
  { selector: ofKind('cert-manager.io', 'Issuer'), assertions: [isTrue('Ready')] },
  { selector: ofKind('apps', 'StatefulSet'), assertions: [UPDATED, isTrue('Available')] },
  { selector: ofKind('apps', 'Deployment'), assertions: [UPDATED, isTrue('Available')] },
];
