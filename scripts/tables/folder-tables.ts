/** Folders by path, each with the one line that its README.md has. */
export type FolderLines = ReadonlyMap<string, string>;

/** Roots of product code: each folder below them has a README.md with one line. */
export const FOLDER_ROOTS: readonly string[] = [
  ...['core', 'platform', 'lifecycle', 'testing'].map((name) => `libs/${name}/src`),
  ...['catalog-poller', 'resolver-worker', 'applier', 'fleet-controller', 'notifier', 'console', 'cli'].map(
    (name) => `apps/${name}/src`,
  ),
  'apps/console/web',
];

const PRODUCT = /(?<!\.(?:spec|fixture|conformance))\.tsx?$/;

/** Returns each folder of product files, and the folders above it up to its root. */
export function productFolders(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files.filter((one) => PRODUCT.test(one))) {
    const root = FOLDER_ROOTS.find((one) => file.startsWith(`${one}/`));
    for (let at = file.lastIndexOf('/'); root !== undefined && at >= root.length; at = file.lastIndexOf('/', at - 1))
      folders.add(file.slice(0, at));
  }
  return [...folders].sort();
}

const MOST_CHARACTERS = 110;

/** Reports folders without a README.md of one sentence. */
export const lineProblems = (folders: readonly string[], lines: FolderLines): string[] =>
  folders.flatMap((folder) => {
    const line = lines.get(folder);
    if (line === undefined) return [`${folder}/README.md: write one line that says what the folder holds`];
    const isLine = line.length <= MOST_CHARACTERS && !line.includes('\n') && /^[A-Z`].*\.$/.test(line);
    return isLine ? [] : [`${folder}/README.md: one line of at most ${MOST_CHARACTERS} characters, with a full stop`];
  });

/** Returns a table of folders below a root, down to a depth. */
export function folderTable(root: string, depth: number, lines: FolderLines): string {
  const rows = [...lines]
    .filter(([folder]) => folder.startsWith(`${root}/`))
    .map(([folder, line]) => ({ name: folder.slice(root.length + 1), line }))
    .filter(({ name }) => name.split('/').length <= depth)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, line }) => `| \`${name}/\` | ${line.replace(/\.$/, '')} |`);
  return `| folder of \`${root}\` | holds |\n|---|---|\n${rows.join('\n')}\n`;
}

const TABLE = /(<!-- folders of (\S+), depth (\d+) -->\n)[\s\S]*?(?=<!-- end -->)/g;

/** Returns a page with its tables of folders made anew between their comments. */
export const withFolderTables = (page: string, lines: FolderLines): string =>
  page.replaceAll(
    TABLE,
    (_whole, begin: string, root: string, depth: string) => `${begin}\n${folderTable(root, Number(depth), lines)}\n`,
  );

/** The page with every folder. */
export function foldersPage(lines: FolderLines): string {
  const sections = FOLDER_ROOTS.filter((root) => [...lines.keys()].some((one) => one.startsWith(`${root}/`))).map(
    (root) => `## ${root}\n\n${lines.get(root) ?? ''}\n\n${folderTable(root, Number.POSITIVE_INFINITY, lines)}`,
  );
  return `# Folders\n\nEvery folder of the product, by the line of its README.md. \`make tables\` writes this page.\n\n${sections.join('\n')}`;
}
