import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { Refuse } from '../../client/image-manifest.js';
import { FilesTooLarge, RegistryError, type RegistryFailure } from '../../client/registry-client.port.js';
import type { LayersRequest, UnpackedFiles, UnpackTarget } from './layers-reader.port.js';
import { UnpackFailed } from './unpack-directory.js';

/** The task of a thread that reads layers. */
export type LayersTask = Readonly<{ task: LayersRequest; target?: UnpackTarget }>;

/** A part of the open layer: bytes, their end, or the news that all of them were right. */
export type LayerPart = Readonly<{ chunk: Uint8Array } | { end: true } | { verified: true }>;

/** Posted by the thread while it reads. `took`: a chunk. `closed`: the layer is read, or wrong. */
export type LayersNote = Readonly<
  { open: number } | { took: true } | { closed: ThreadProblem | 'well' } | { wrote: number }
>;

export type LayersReply = Readonly<
  { files: readonly BundleFile[] } | { unpacked: UnpackedFiles } | { problem: ThreadProblem }
>;

export const isNote = (message: LayersNote | LayersReply): message is LayersNote =>
  'open' in message || 'took' in message || 'closed' in message || 'wrote' in message;

/** An error in plain words: errors of ours lose their class between threads. */
export type ThreadProblem = Readonly<
  | { kind: 'refused'; failure: RegistryFailure; message: string; filesTooLarge: boolean }
  | { kind: 'disk'; directory: string; message: string }
  | { kind: 'fault'; message: string }
>;

export function problemOf(error: unknown): ThreadProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RegistryError) {
    return { kind: 'refused', failure: error.failure, message, filesTooLarge: error instanceof FilesTooLarge };
  }
  if (error instanceof UnpackFailed) return { kind: 'disk', directory: error.directory, message: error.why };
  return { kind: 'fault', message };
}

/** The error in the thread of the caller. `refuse` names the image. */
export function errorOf(problem: ThreadProblem, refuse: Refuse): Error {
  if (problem.kind === 'disk') return new UnpackFailed(problem.directory, problem.message);
  if (problem.kind === 'fault') return new Error(problem.message);
  const error = refuse(problem.failure, problem.message);
  return problem.filesTooLarge ? new FilesTooLarge(error.failure, error.reference, error.message) : error;
}

/** Errors of the thread before its caller names the image. */
export const refuseUnnamed: Refuse = (failure, message) => new RegistryError(failure, '', message);
