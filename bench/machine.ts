import { arch, cpus, release, totalmem, type } from 'node:os';

/** Describes the machine and the time of a measurement: without them a number says nothing. */
export function machine(): string {
  const models = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `${date}; ${models.length} × ${models[0]?.model.trim()}, ${memory} GiB; ${type()} ${release()} ${arch()}; Node ${process.version}`;
}
