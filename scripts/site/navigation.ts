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

/** The title of the section for people who change the code. */
export const CONTRIBUTORS = 'Contributors';

/** The list of pages. A test checks that every page of `docs` is in it. */
export const NAVIGATION: readonly NavigationSection[] = [
  {
    title: 'Get started',
    pages: [
      doc('have-olm'),
      doc('start', 'Start'),
      doc('when-to-use'),
      doc('first-cluster'),
      doc('guide'),
      doc('extensions'),
      { source: 'examples/README.md', name: 'Sample operators' },
    ],
  },
  {
    title: 'Concepts',
    pages: [
      doc('concepts'),
      doc('glossary'),
      doc('questions'),
      doc('resolution'),
      doc('upgrade-graph'),
      doc('classic-and-v1'),
      doc('extension-revisions'),
      doc('fleet', 'Rollouts'),
      doc('comparison'),
    ],
  },
  {
    title: 'Install',
    pages: [
      doc('install'),
      doc('install-kubernetes'),
      doc('compose'),
      doc('console-install'),
      doc('access'),
      doc('kubeconfigs'),
      doc('applier-rights'),
      doc('cloud-logins'),
      doc('behind-nat'),
      doc('redis'),
      doc('air-gap'),
      doc('sizing'),
      doc('upgrading'),
      doc('recovery'),
    ],
  },
  {
    title: 'Operators and plans',
    pages: [
      doc('install-plans'),
      doc('cluster-packages'),
      doc('crd-changes'),
      doc('extension-rights'),
      doc('move-to-extensions'),
      doc('console'),
      doc('console-rights'),
    ],
  },
  {
    title: 'Catalogs',
    pages: [
      doc('running-catalogs'),
      doc('cluster-catalogs'),
      doc('catalog-status'),
      doc('signatures'),
      doc('authoring-catalogs'),
      doc('catalog-mistakes'),
      doc('crd-versions'),
      doc('catalog-impact'),
    ],
  },
  {
    title: 'Fleet',
    pages: [
      doc('fleet-simulate'),
      doc('fleet-start'),
      doc('clusters-import'),
      doc('fleet-folder'),
      doc('gitops'),
      doc('fleet-operators'),
      doc('fleet-follow'),
      doc('fleet-decide'),
      doc('notifications'),
    ],
  },
  {
    title: 'The hub at work',
    pages: [
      doc('operations'),
      doc('clusters'),
      doc('beside-olm'),
      doc('network'),
      doc('http-access'),
      doc('health'),
      doc('metrics'),
      doc('follow-a-change'),
      doc('too-large'),
      doc('security'),
      doc('secrets'),
    ],
  },
  { title: 'Troubleshoot', pages: [doc('troubleshooting'), doc('stopped-installs'), doc('runbooks')] },
  {
    title: 'Reference',
    pages: [
      doc('command'),
      doc('command-status'),
      doc('command-offline'),
      doc('command-json'),
      doc('opm'),
      made('verbs'),
      made('exit-codes'),
      doc('settings'),
      made('metrics'),
      made('kinds'),
      ...[
        'fleetcluster',
        'fleetclustersource',
        'fleetcatalog',
        'fleetoperator',
        'fleetstrategy',
        'fleetnotification',
      ].map(made),
      ...['fleetwindow', 'fleetdecision', 'fleetrollout', 'fleetplan', 'fleetassignment'].map(made),
      made('reasons'),
      made('annotations'),
      doc('differences-from-olm'),
      doc('performance'),
      doc('supply-chain'),
      doc('release-files'),
      { source: 'k8s/crds/README.md' },
      { source: 'SECURITY.md' },
      { source: 'CHANGELOG.md', name: 'Release notes' },
    ],
  },
  {
    title: CONTRIBUTORS,
    pages: [
      { source: 'CONTRIBUTING.md' },
      { source: 'AGENTS.md' },
      { source: 'ARCHITECTURE.md' },
      { source: 'docs/contributing/recipes.md' },
      { source: 'docs/contributing/review.md' },
      { source: 'docs/contributing/folders.md' },
      { source: 'docs/contributing/tests.md' },
      { source: 'docs/why/README.md', name: 'Why' },
      { source: 'docs/decisions/README.md', name: 'Decisions' },
      { source: 'docs/spec/README.md', name: 'How OLM behaves' },
      doc('attacks'),
      doc('foreign-bytes'),
      doc('dependencies'),
      doc('sizing-figures'),
      { source: 'bench/README.md', name: 'Measurements' },
      { source: 'bench/published/README.md' },
      { source: 'README.md', name: 'README' },
    ],
  },
];

/** Folders with pages for contributors that are in no list. */
const CONTRIBUTORS_FOLDERS = /^(docs\/(contributing|decisions|spec|why)|bench)\//;

const listed = new Set(NAVIGATION.find(({ title }) => title === CONTRIBUTORS)?.pages.map(({ source }) => source));

/** True if a page is for people who change the code; the search for users leaves it out. */
export const isForContributors = (source: string): boolean =>
  listed.has(source) || CONTRIBUTORS_FOLDERS.test(source) || /^(apps|libs|test)\//.test(source);
