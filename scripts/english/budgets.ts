/** Most relative words for each 100 words, and most docstrings that begin with a clause. */
export type Budget = Readonly<{ docstrings: number; starts: number; comments: number; messages: number }>;

/**
 * Budgets of folders, which only ever fall. The end is 0.6 relative words for each 100 words, and no
 * docstring that begins with a clause.
 */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  'apps/applier': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'apps/catalog-poller': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'apps/cli': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.3 },
  'apps/console': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.4 },
  'apps/fleet-controller': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'apps/resolver-worker': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  bench: { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.1 },
  'libs/core/src/catalog': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/classic': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/cluster': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.5 },
  'libs/core/src/kernel': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/rollout': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.8 },
  'libs/core/src/v1': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  'libs/core/src/view': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.9 },
  'libs/lifecycle': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1 },
  'libs/platform': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.1 },
  'libs/testing': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6 },
  scripts: { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.8 },
  test: { docstrings: 3.4, starts: 196, comments: 2.2, messages: 1 },
};
