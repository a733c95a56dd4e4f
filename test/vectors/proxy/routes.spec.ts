import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routeTo } from '#platform/outbound/route';

const PROXY = 'http://proxy.test:3128';
const rows = <T>(file: string): T[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

type NoProxy = Readonly<{ noProxy: string; direct: readonly string[]; proxied: readonly string[] }>;
type Environment = Readonly<{ env: Readonly<Record<string, string>>; url: string; proxy: string | null }>;

/** An IPv4 address in the notation of IPv6, of which Go compares the last part as if it were a name. */
const isName = ({ noProxy }: NoProxy, url: string) => url.includes('::ffff:') && /^\.?1\.2\.3$/.test(noProxy);

it.each(rows<NoProxy>('no-proxy.jsonl'))('exempts what Go exempts with NO_PROXY=$noProxy', (row) => {
  const isDirect = (url: string) =>
    routeTo(new URL(url), { HTTPS_PROXY: PROXY, NO_PROXY: row.noProxy }).proxy === undefined;
  const urls = [...row.direct, ...row.proxied].filter((url) => !isName(row, url));
  expect(urls.length).toBeGreaterThan(15);
  expect(urls.filter(isDirect)).toEqual(row.direct.filter((url) => !isName(row, url)));
});

it.each(rows<Environment>('environments.jsonl'))('goes from $env to $url as Go does', ({ env, url, proxy }) => {
  expect(routeTo(new URL(url), env).proxy?.href).toBe(proxy === null ? undefined : new URL(proxy).href);
});
