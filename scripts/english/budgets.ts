/** Most relative words for each 100 words, and most docstrings that begin with a clause. */
export type Budget = Readonly<{ docstrings: number; starts: number; comments: number; messages: number }>;

/**
 * Budgets of folders, which only ever fall. The end is 0.6 relative words for each 100 words, and no
 * docstring that begins with a clause.
 */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  'apps/applier': { docstrings: 2.2, starts: 2, comments: 3.3, messages: 0.6 },
  'apps/catalog-poller': { docstrings: 3.9, starts: 3, comments: 0.6, messages: 0.6 },
  'apps/cli': { docstrings: 3.7, starts: 251, comments: 2.2, messages: 1.3 },
  'apps/console': { docstrings: 4.2, starts: 140, comments: 3.3, messages: 1.4 },
  'apps/fleet-controller': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'apps/resolver-worker': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  bench: { docstrings: 2.9, starts: 66, comments: 1.9, messages: 1.1 },
  'libs/core/src/catalog': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/classic': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/cluster': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.5 },
  'libs/core/src/kernel': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/rollout': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.8 },
  'libs/core/src/v1': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/view': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.9 },
  'libs/lifecycle': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1 },
  'libs/platform': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.1 },
  'libs/testing': { docstrings: 2.7, starts: 77, comments: 1.5, messages: 0.6 },
  scripts: { docstrings: 2.6, starts: 23, comments: 2.6, messages: 1.8 },
  test: { docstrings: 3.4, starts: 196, comments: 2.2, messages: 1 },
};
