import type { Action } from '../../kernel/actions/action.js';
import { refOf } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { PROVIDED_APIS_ANNOTATION } from './group-facts.js';

/** Writes `olm.providedAPIs` on a group, under an optimistic lock. */
export function annotateGroup(group: OperatorGroup, value: string): Action {
  const { resourceVersion } = group.metadata;
  const lock = resourceVersion === undefined ? {} : { resourceVersion };
  const annotations = { [PROVIDED_APIS_ANNOTATION]: value };
  return { do: 'patch', ref: refOf(group), patch: { metadata: { ...lock, annotations } } };
}
