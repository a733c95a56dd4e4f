import { describe, expect, it } from 'vitest';
import { HubApiUnusable } from '#platform/console/decisions/http-hub-decisions';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { commandFailure } from './command-failure.js';
import { outputFailure } from './process-end.js';
import { UsageError } from './terminal/io.js';

const system = (code: string, syscall: string, path?: string): Error =>
  Object.assign(new Error(`${code}: raw text of Node, ${syscall}`), { code, syscall, ...(path && { path }) });

describe('what an error that ends a verb means', () => {
  it.each([
    { error: new UsageError('name one'), message: 'name one', exit: 2 },
    { error: system('EACCES', 'open', '/x'), message: 'open /x: permission denied', exit: 2 },
    { error: system('EROFS', 'mkdir', '/x'), message: 'mkdir /x: read-only file system', exit: 2 },
    { error: system('ENOSPC', 'write'), message: 'write: no space left on device', exit: 3 },
    { error: system('EIO', 'read', '/x'), message: 'read /x: input/output error', exit: 3 },
    { error: system('EDQUOT', 'open', '/x'), message: 'open /x: disk quota exceeded', exit: 3 },
    { error: system('ECONNREFUSED', 'connect'), message: 'ECONNREFUSED: raw text of Node, connect', exit: 3 },
    { error: new RegistryError('Unreachable', 'a/b', 'no answer'), message: 'no answer', exit: 3 },
    { error: new RegistryError('UnsafePath', 'a/b', 'layer entry'), message: 'layer entry', exit: 2 },
    {
      error: new Error('render: no bundle', { cause: new RegistryError('Malformed', 'a/b', 'no bundle') }),
      message: 'render: no bundle',
      exit: 2,
    },
    { error: new HubApiUnusable('no CA'), message: 'no CA', exit: 2 },
    { error: 'odd', message: 'odd', exit: 3 },
  ])('$message: exit code $exit', ({ error, message, exit }) => {
    expect(commandFailure(error)).toEqual({ message, exit });
  });

  it.each([
    { error: system('EPIPE', 'write'), failure: { exit: 141 } },
    {
      error: system('ENOSPC', 'write'),
      failure: { exit: 3, line: 'error: write standard output: no space left on device' },
    },
    { error: system('EIO', 'write'), failure: { exit: 3, line: 'error: write standard output: input/output error' } },
  ])('of standard output: $error.code', ({ error, failure }) => {
    expect(outputFailure(error)).toEqual(failure);
  });
});
