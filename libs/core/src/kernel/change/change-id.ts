import { canonicalHash } from '../canonical/canonical-json.js';
import type { Owner } from '../fairness/owner.js';

/** Annotation of InstallPlans and Events, defined by Flotilla: the name of their change. */
export const CHANGE_ANNOTATION = 'flotilla.dev/change';

const DIGITS = 32;

/** True if the text has the form of a name of a change. */
export const isChange = (text: string): boolean => text.length === DIGITS && /^[0-9a-f]+$/.test(text);

/**
 * Returns the name of one change: the hash of a problem and of its namespace, or of its ClusterExtension.
 * Every service can make it, so that no queue carries it; the same problem of the same namespace has the same
 * name at any time. 32 hexadecimal digits, as the id of a trace has.
 */
export const changeOf = ({ cluster, namespace }: Owner, problem: string): string =>
  canonicalHash(['change', cluster, namespace, problem]).slice(0, DIGITS);
