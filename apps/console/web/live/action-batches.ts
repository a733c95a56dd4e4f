import type { ActionRequest, ActionTarget } from '../../src/api/actions.schema.js';

/** Limits of one request: targets, and their bytes below the 256 kB of a body. */
const MOST_TARGETS = 1_000;
const MOST_BYTES = 200_000;

const bytes = (target: ActionTarget): number => new TextEncoder().encode(JSON.stringify(target)).length + 1;

/** One action as requests that the server takes, each target in one of them, in their order. */
export function actionBatches(request: ActionRequest): readonly ActionRequest[] {
  const batches: ActionTarget[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const target of request.targets) {
    const own = bytes(target);
    if (size + own > MOST_BYTES || batches.at(-1)?.length === MOST_TARGETS) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(target);
    size += own;
  }
  return batches.map((targets) => ({ ...request, targets }));
}
