/** Most relative words for each 100 words, and the largest number of docstrings that begin with a clause. */
export type Budget = Readonly<{
  docstrings: number;
  starts: number;
  comments: number;
  messages: number;
  titles: number;
}>;

/**
 * Budgets of folders, which only ever fall. The end is 0.6 relative words for each 100 words, and no
 * docstring that begins with a clause.
 */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  'apps/applier': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 3 },
  'apps/catalog-poller': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 4.2 },
  'apps/cli': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 4.1 },
  'apps/console': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 3.7 },
  'apps/notifier': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 0.6 },
  'apps/fleet-controller': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 0.6 },
  'apps/resolver-worker': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 0.6 },
  bench: { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.1, titles: 6.4 },
  'libs/core/src/catalog': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 2.2 },
  'libs/core/src/classic': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 2.5 },
  'libs/core/src/cluster': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 3.7 },
  'libs/core/src/kernel': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 2.6 },
  'libs/core/src/rollout': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 3.5 },
  'libs/core/src/v1': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 2.9 },
  'libs/core/src/view': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 3.5 },
  'libs/lifecycle': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 2.8 },
  'libs/platform': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 3 },
  'libs/testing': { docstrings: 0.6, starts: 0, comments: 0.6, messages: 0.6, titles: 2.3 },
  scripts: { docstrings: 0.6, starts: 0, comments: 0.6, messages: 1.7, titles: 0.6 },
  test: { docstrings: 0.6, starts: 9, comments: 0.6, messages: 0.9, titles: 2.5 },
};
