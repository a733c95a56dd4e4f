import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

type PageFile = Readonly<{ body: Buffer; headers: Readonly<Record<string, string>> }>;

const ENTRY = 'index.html';
const SCRIPT = /<script [^>]*src="(\/assets\/[\w.-]+\.js)"/;
const PAGES_FOLDER = join(PROJECT_ROOT, 'dist/console');

/**
 * The built pages: files by name, so that no path of a request ever becomes one of the disk. A file is read
 * when it is asked for, in the form that the browser takes.
 */
export class PageFiles {
  private constructor(
    private readonly folder: string,
    private readonly names: ReadonlySet<string>,
    /** The script that begins the pages; its name has a hash of all of them. Empty: there is none. */
    readonly build: string,
  ) {}

  /** Opens the folder; has no files if the pages are not built. */
  static async open(folder: string = PAGES_FOLDER): Promise<PageFiles> {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const entry = await readFile(join(folder, ENTRY), 'utf8').catch(() => '');
    const build = SCRIPT.exec(entry)?.[1] ?? '';
    return new PageFiles(folder, new Set(names.map((name) => name.replaceAll('\\', '/'))), build);
  }

  get areBuilt(): boolean {
    return this.names.has(ENTRY);
  }

  /** The page that shows every address of the console. */
  entry(acceptEncoding: string): Promise<PageFile | undefined> {
    return this.#read(ENTRY, acceptEncoding, 'no-cache');
  }

  /** Files other than pages carry a hash of their content in their name. */
  async file(path: string, acceptEncoding: string): Promise<PageFile | undefined> {
    const name = path.replace(/^\//, '');
    return name === ENTRY
      ? this.entry(acceptEncoding)
      : this.#read(name, acceptEncoding, 'public, max-age=31536000, immutable');
  }

  async #read(name: string, acceptEncoding: string, cacheControl: string): Promise<PageFile | undefined> {
    const type = TYPES[extname(name)];
    if (type === undefined || !this.names.has(name)) return undefined;
    const encodings = acceptEncoding.split(',').map((part) => part.replace(/;.*/, '').trim());
    const [encoding, ending] = (
      [
        ['br', '.br'],
        ['gzip', '.gz'],
      ] as const
    ).find(([one, end]) => encodings.includes(one) && this.names.has(`${name}${end}`)) ?? ['', ''];
    return {
      body: await readFile(join(this.folder, `${name}${ending}`)),
      headers: {
        'content-type': type,
        'cache-control': cacheControl,
        vary: 'accept-encoding',
        ...(encoding === '' ? {} : { 'content-encoding': encoding }),
      },
    };
  }
}
