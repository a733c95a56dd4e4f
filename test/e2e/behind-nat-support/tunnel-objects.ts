import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Container = z.looseObject({
  args: z.array(z.string()),
  volumeMounts: z.tuple([z.looseObject({ mountPath: z.string() })]),
});
const Volume = z.looseObject({ secret: z.looseObject({ secretName: z.string() }) });
const Pod = z.looseObject({ containers: z.tuple([Container]), volumes: z.tuple([Volume]) });
const Deployment = z.looseObject({ spec: z.looseObject({ template: z.looseObject({ spec: Pod }) }) });
const Secret = z.looseObject({ data: z.record(z.string(), z.string()) });

/** Reads an object of a namespace from an API server. */
export type Read = (kind: 'deployment' | 'secret' | 'configmap', name: string) => Promise<unknown>;

/**
 * Returns the arguments of the container of a Deployment, as a kubelet would start it: the Secret of its
 * volume is written into `folder`. Ports are those of this machine.
 */
export async function argsOf(
  read: Read,
  name: string,
  ports: Readonly<Record<string, number>>,
  folder: string,
): Promise<readonly string[]> {
  const { containers, volumes } = Deployment.parse(await read('deployment', name)).spec.template.spec;
  const [{ args, volumeMounts }] = containers;
  const [{ mountPath }] = volumeMounts;
  await mkdir(folder, { recursive: true });
  const { data } = Secret.parse(await read('secret', volumes[0].secret.secretName));
  for (const [file, content] of Object.entries(data))
    await writeFile(join(folder, file), Buffer.from(content, 'base64'), { mode: 0o600 });
  return args.map((argument) => {
    const [flag = '', value = ''] = argument.split('=');
    if (value.startsWith(`${mountPath}/`)) return `${flag}=${join(folder, value.slice(mountPath.length + 1))}`;
    return flag.endsWith('-port') ? `${flag}=${ports[value] ?? value}` : argument;
  });
}
