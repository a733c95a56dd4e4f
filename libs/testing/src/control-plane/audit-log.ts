import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** All writes, each once it is answered; reads are not kept. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    // Reviews of a user's rights are created, and stored nowhere.
    { level: 'None', resources: [{ group: 'authorization.k8s.io' }] },
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

/** A line of an audit log (audit.k8s.io/v1). */
const AuditEvent = z.object({
  stage: z.string(),
  requestURI: z.string(),
  verb: z.string(),
  userAgent: z.string().default(''),
  responseStatus: z.object({ code: z.number() }).optional(),
  objectRef: z
    .object({
      resource: z.string().default(''),
      namespace: z.string().default(''),
      name: z.string().default(''),
      subresource: z.string().optional(),
    })
    .default({ resource: '', namespace: '', name: '' }),
});

/** A write that an API server has carried out. */
export type AuditedWrite = Readonly<{
  /** The client's user agent. */
  by: string;
  verb: string;
  /** With its subresource, as in `deployments/status`. */
  resource: string;
  namespace: string;
  name: string;
}>;

/** Writes recorded by API servers that we start ourselves, each in a log of its own. */
export class AuditLogs {
  private constructor(private readonly folder: string) {}

  static async open(): Promise<AuditLogs> {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-audit-'));
    const logs = new AuditLogs(folder);
    await writeFile(logs.#policy, JSON.stringify(POLICY));
    return logs;
  }

  /** Arguments of the kube-apiserver of a cluster. */
  readonly argumentsOf = (cluster: string): readonly string[] => [
    `--audit-policy-file=${this.#policy}`,
    `--audit-log-path=${this.#logOf(cluster)}`,
  ];

  /** Returns the writes to the cluster so far, oldest first, without dry runs and refused writes. */
  async writes(cluster: string): Promise<readonly AuditedWrite[]> {
    const lines = (await readFile(this.#logOf(cluster), 'utf8')).split('\n');
    // The last line is under way.
    return lines.slice(0, -1).flatMap((line) => {
      const { stage, requestURI, verb, userAgent: by, responseStatus, objectRef } = AuditEvent.parse(JSON.parse(line));
      const isDone = stage === 'ResponseComplete' && (responseStatus?.code ?? 0) < 300;
      if (!isDone || new URL(requestURI, 'https://server').searchParams.has('dryRun')) return [];
      const { resource, subresource, namespace, name } = objectRef;
      return [{ by, verb, resource: [resource, subresource].filter(Boolean).join('/'), namespace, name }];
    });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  get #policy(): string {
    return join(this.folder, 'policy.json');
  }

  #logOf(cluster: string): string {
    return join(this.folder, `${cluster}.log`);
  }
}
