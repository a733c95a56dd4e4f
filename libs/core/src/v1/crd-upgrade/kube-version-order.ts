import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';

const FORM = /^v(?<major>\d+)(?:(?<stage>alpha|beta)(?<minor>\d+))?$/;
const STAGES = ['alpha', 'beta', undefined];

/**
 * Order of API versions from the least to the most preferred, as Kubernetes ranks them: v1alpha1, v1beta1,
 * v1, v2. Names of another form come before all of these, in reverse alphabetical order.
 */
export function byKubeVersion(a: string, b: string): number {
  const [left, right] = [FORM.exec(a)?.groups, FORM.exec(b)?.groups];
  if (left === undefined || right === undefined) {
    return left === right ? byCodeUnit(b, a) : left === undefined ? -1 : 1;
  }
  return (
    STAGES.indexOf(left['stage']) - STAGES.indexOf(right['stage']) ||
    Number(left['major']) - Number(right['major']) ||
    Number(left['minor'] ?? 0) - Number(right['minor'] ?? 0)
  );
}
