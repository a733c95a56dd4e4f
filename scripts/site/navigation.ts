/** A page in the list of the site: its Markdown file, and its name if that is not its heading. */
export type NavigationEntry = Readonly<{ source: string; name?: string }>;

/** Pages by the needs of readers, in the order of the list. */
export type NavigationSection = Readonly<{ title: string; pages: readonly NavigationEntry[] }>;

const doc = (page: string, name?: string): NavigationEntry => ({
  source: `docs/${page}.md`,
  ...(name === undefined ? {} : { name }),
});
/** Pages that are made of code when the site is built; they are in no folder. */
const made = (page: string): NavigationEntry => ({ source: `reference/${page}.md` });

/** The list of pages. A test checks that every page of `docs` is in it. */
export const NAVIGATION: readonly NavigationSection[] = [
  {
    title: 'Try',
    pages: [
      doc('have-olm'),
      doc('start', 'Start'),
      doc('concepts'),
      doc('first-cluster'),
      { source: 'examples/README.md', name: 'Sample operators' },
      doc('guide'),
      doc('questions'),
    ],
  },
  {
    title: 'Install',
    pages: [
      doc('install'),
      doc('install-kubernetes'),
      doc('access'),
      doc('cloud-logins'),
      doc('air-gap'),
      doc('sizing'),
      doc('upgrading'),
    ],
  },
  {
    title: 'Operate',
    pages: [
      doc('operations'),
      doc('redis'),
      doc('clusters'),
      doc('beside-olm'),
      doc('network'),
      doc('health'),
      doc('metrics'),
      doc('follow-a-change'),
      doc('troubleshooting'),
      doc('runbooks'),
      doc('recovery'),
      doc('security'),
      doc('signatures'),
      doc('running-catalogs'),
      doc('install-plans'),
      doc('resolution'),
    ],
  },
  {
    title: 'Author',
    pages: [doc('authoring-catalogs'), doc('upgrade-graph')],
  },
  { title: 'Migrate', pages: [doc('extensions'), doc('differences-from-olm')] },
  {
    title: 'Fleet',
    pages: [
      doc('fleet'),
      doc('fleet-simulate'),
      doc('fleet-start'),
      doc('clusters-import'),
      doc('fleet-folder'),
      doc('fleet-operators'),
      doc('fleet-follow'),
      doc('fleet-decide'),
      doc('catalog-impact'),
      doc('comparison'),
      ...['fleetcluster', 'fleetclustersource', 'fleetcatalog', 'fleetoperator', 'fleetstrategy'].map(made),
      ...['fleetwindow', 'fleetdecision', 'fleetrollout', 'fleetplan', 'fleetassignment'].map(made),
    ],
  },
  { title: 'Console', pages: [doc('console')] },
  {
    title: 'Reference',
    pages: [
      doc('command'),
      made('verbs'),
      made('exit-codes'),
      doc('settings'),
      made('metrics'),
      made('kinds'),
      made('reasons'),
      made('annotations'),
      doc('performance'),
      { source: 'bench/README.md', name: 'Measurements' },
      { source: 'bench/published/README.md' },
      { source: 'k8s/crds/README.md' },
      { source: 'docs/spec/README.md', name: 'How OLM behaves' },
      { source: 'docs/decisions/README.md', name: 'Decisions' },
      { source: 'docs/why/README.md', name: 'Why' },
      { source: 'ARCHITECTURE.md' },
      { source: 'docs/contributing/recipes.md' },
      { source: 'docs/contributing/review.md' },
      { source: 'docs/contributing/folders.md' },
      { source: 'docs/contributing/tests.md' },
      { source: 'CONTRIBUTING.md' },
      { source: 'SECURITY.md' },
      doc('dependencies'),
      { source: 'README.md', name: 'README' },
      { source: 'CHANGELOG.md', name: 'Release notes' },
    ],
  },
];
