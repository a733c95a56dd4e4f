import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { ManualClock } from '../clock/manual-clock.js';
import { type RunningService, startService } from '../service/run-service.js';
import { silentLog } from '../telemetry/log.port.js';
import { ServingTls } from './serving-tls.js';

let folder: string;
let paths: { certFile: string; keyFile: string };
let errors: string[];
const clock = new ManualClock();
const reading = { clock, log: { ...silentLog, error: (fields: object) => errors.push(JSON.stringify(fields)) } };
beforeEach(async () => {
  errors = [];
  folder = await mkdtemp(join(tmpdir(), 'serving-tls-'));
  paths = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const write = async (file: string, text: string) => {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
};
const writePair = async ({ certPem, keyPem }: { certPem: string; keyPem: string }) => {
  await write(paths.certFile, certPem);
  await write(paths.keyFile, keyPem);
};

/** The fingerprint of the certificate that the server shows, and the status of its answer. */
const ask = (url: string, agent: Agent) =>
  new Promise<string>((resolve, reject) => {
    get(url, { agent, rejectUnauthorized: false }, (response) => {
      const { fingerprint256 } = (response.socket as TLSSocket).getPeerCertificate();
      response.resume().on('end', () => resolve(`${response.statusCode} ${fingerprint256}`));
    }).on('error', reject);
  });

describe('HTTPS with certificate files', () => {
  const services: RunningService[] = [];
  const agents: Agent[] = [];
  const agent = (): Agent => {
    const made = new Agent({ keepAlive: true, maxSockets: 1 });
    agents.push(made);
    return made;
  };
  let tls: ServingTls | undefined;
  afterEach(async () => {
    for (const one of agents.splice(0)) one.destroy();
    for (const service of services.splice(0)) await service.stop();
    tls?.stop();
  });
  const start = async () => {
    tls = await ServingTls.open(paths, reading);
    const service = await startService({
      name: 'things',
      imports: [],
      health: { registry: new Registry() },
      bindAddress: '127.0.0.1',
      port: 0,
      metricsPort: 0,
      ...(tls && { tls }),
      log: silentLog,
      shutdownTimeoutMs: 1_000,
    });
    services.push(service);
    return service;
  };

  it('new connections get the certificate that was swapped in, open ones go on with the old one', async () => {
    await writePair(await servingCertificate());
    const { url, metricsUrl } = await start();
    expect([new URL(url).protocol, new URL(metricsUrl).protocol]).toEqual(['https:', 'https:']);
    const open = agent();
    const before = await ask(`${url}/livez`, open);
    expect(before).toMatch(/^200 /);
    await writePair(await servingCertificate());
    await clock.advance(10_000);
    await expect.poll(() => ask(`${url}/livez`, agent())).not.toBe(before);
    const after = await ask(`${url}/livez`, agent());
    expect(await ask(metricsUrl, agent())).toBe(after);
    expect(await ask(`${url}/livez`, open)).toBe(before);
  });

  it('clients of TLS 1.1 are refused, those of TLS 1.2 and of a curve against quantum computers are not', async () => {
    await writePair(await servingCertificate());
    const { metricsUrl } = await start();
    const offering = (options: SecureContextOptions & { ecdhCurve?: string }) => {
      const made = new Agent({ ...options, keepAlive: false });
      agents.push(made);
      return ask(metricsUrl, made);
    };
    await expect(
      offering({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }),
    ).rejects.toThrow(/protocol version/);
    expect(await offering({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).toMatch(/^200 /);
    expect(await offering({ minVersion: 'TLSv1.3', ecdhCurve: 'X25519MLKEM768' })).toMatch(/^200 /);
  });

  it('files that do not fit together, as in the middle of a swap, leave the old certificate in use', async () => {
    await writePair(await servingCertificate());
    const { url } = await start();
    const before = await ask(`${url}/livez`, agent());
    const next = await servingCertificate();
    await write(paths.certFile, next.certPem);
    await clock.advance(10_000);
    await expect.poll(() => errors).toEqual([expect.stringContaining('does not belong to the certificate')]);
    expect(await ask(`${url}/livez`, agent())).toBe(before);
    await write(paths.keyFile, next.keyPem);
    await expect
      .poll(async () => {
        await clock.advance(10_000);
        return ask(`${url}/livez`, agent());
      })
      .not.toBe(before);
  });
});

describe('certificate files that cannot be used', () => {
  it('are none where none are named', async () => {
    expect(await ServingTls.open({ certFile: '', keyFile: '' }, reading)).toBeUndefined();
  });

  it.each([
    { name: 'one without the other', change: async () => ({ ...paths, keyFile: '' }), says: /set both, or neither/ },
    {
      name: 'a missing file',
      change: async () => ({ ...paths, certFile: join(folder, 'x') }),
      says: /x cannot be read/,
    },
    {
      name: 'a key of another certificate',
      change: async () => write(paths.keyFile, (await servingCertificate()).keyPem).then(() => paths),
      says: /does not belong to the certificate/,
    },
    { name: 'no PEM', change: async () => write(paths.keyFile, 'SECRET').then(() => paths), says: /in PEM form/ },
  ])('end the start with the reason: $name', async ({ change, says }) => {
    await writePair(await servingCertificate());
    const failure = await ServingTls.open(await change(), reading).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/^TlsUnusable: FLOTILLA_HTTP_TLS_CERT_FILE and FLOTILLA_HTTP_TLS_KEY_FILE: /);
    expect(String(failure)).toMatch(says);
    expect(String(failure)).not.toContain('SECRET');
  });
});
