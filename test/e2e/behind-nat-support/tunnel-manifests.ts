import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';

type Deployment = Readonly<{
  kind: string;
  spec: Readonly<{
    template: Readonly<{ spec: Readonly<{ containers: readonly Readonly<{ args: readonly string[] }>[] }> }>;
  }>;
}>;

/**
 * Returns the arguments of the container in a manifest of `k8s/tunnel`. `words` are replaced as the page
 * says; ports and files are those of this machine.
 */
export async function argsOf(
  file: string,
  words: Readonly<Record<string, string>>,
  ports: Readonly<Record<string, number>>,
  files: Readonly<{ folder: string; authority: string }>,
): Promise<readonly string[]> {
  let text = await readFile(join(PROJECT_ROOT, 'k8s', 'tunnel', file), 'utf8');
  for (const [word, value] of Object.entries(words)) text = text.replaceAll(word, value);
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Deployment);
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  const args = deployment?.spec.template.spec.containers[0]?.args ?? [];
  return args.map((argument) => {
    const [flag = '', value = ''] = argument.split('=');
    if (value === '/tunnel/ca.crt') return `${flag}=${files.authority}`;
    if (value.startsWith('/tunnel/')) return `${flag}=${join(files.folder, value.slice('/tunnel/'.length))}`;
    return flag.endsWith('-port') ? `${flag}=${ports[value] ?? value}` : argument;
  });
}
