import { imageReferenceProblem } from '../../catalog/validate/image-reference.js';
import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { ClusterSelector } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetObject } from '../../kernel/api/fleet/fleet-kinds.js';
import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { FleetStrategy } from '../../kernel/api/fleet/fleet-strategy.js';
import { cutText } from '../../kernel/text/cut-text.js';
import { parseRange } from '../../kernel/versions/blang-range.js';
import { parseMastermindsConstraint } from '../../kernel/versions/masterminds-constraint.js';
import { checkProblem } from '../gates/cel-check.js';
import { selectorProblem } from '../placement/select-clusters.js';
import { windowProblem } from '../windows/window-rules.js';

/** Characters of a foreign value that a message quotes. */
const LONGEST_QUOTE = 60;
const quoted = (text: string): string => JSON.stringify(cutText(text, LONGEST_QUOTE));

type Problem = string | undefined;

/** Returns the first problem in a list. Checks an entry only if those before it have none. */
function firstOf(...checks: readonly (() => Problem)[]): Problem {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inSelector(field: string, selector: ClusterSelector | undefined): Problem {
  const problem = selectorProblem(selector);
  return problem === undefined
    ? undefined
    : `${field}${selector?.expression === undefined ? '' : '.expression'}: ${problem}`;
}

function inRange(field: string, range: string | undefined, api: 'Classic' | 'V1'): Problem {
  if (range === undefined) return undefined;
  const read = api === 'V1' ? parseMastermindsConstraint(range) : parseRange(range);
  return 'error' in read ? `${field}: ${quoted(range)} is not a range: ${read.error}` : undefined;
}

function operatorProblem({ spec: { api, versions, clusters, overrides = [] } }: FleetOperator): Problem {
  return firstOf(
    () => inRange('spec.versions.range', versions?.range, api),
    ...(versions?.deny ?? []).map((range, at) => () => inRange(`spec.versions.deny[${at}]`, range, api)),
    () => inSelector('spec.clusters', clusters),
    ...overrides.flatMap((override, at) => [
      () => inSelector(`spec.overrides[${at}].clusters`, override.clusters),
      () => inRange(`spec.overrides[${at}].range`, override.range, api),
    ]),
  );
}

function catalogProblem({ spec: { image, clusters } }: FleetCatalog): Problem {
  const problem = imageReferenceProblem(image);
  return problem === undefined ? inSelector('spec.clusters', clusters) : `spec.image: ${quoted(image)}: ${problem}`;
}

function strategyProblem({ spec: { waves } }: FleetStrategy): Problem {
  return firstOf(
    ...waves.flatMap(({ clusters, gates }, wave) => [
      () => inSelector(`spec.waves[${wave}].clusters`, clusters),
      ...gates.map(({ cel }, gate) => () => {
        const problem = cel && checkProblem(cel);
        return problem && `spec.waves[${wave}].gates[${gate}].cel.${problem}`;
      }),
    ]),
  );
}

/**
 * Returns the first unreadable value of an object that follows its schema, with its field: times,
 * expressions, ranges and references of images. The CRDs refuse these as far as patterns can.
 */
export function fieldProblem(object: FleetObject): Problem {
  switch (object.kind) {
    case 'FleetWindow':
      return windowProblem(object);
    case 'FleetOperator':
      return operatorProblem(object);
    case 'FleetCatalog':
      return catalogProblem(object);
    case 'FleetStrategy':
      return strategyProblem(object);
    default:
      return undefined;
  }
}
