import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** No way to get a Redis on this machine was found. */
export class RedisNotFound extends FlotillaError {
  readonly code = 'RedisNotFound';
  readonly retry: Retry = 'when-input-changes';
  /** `install` is the command of this system that installs one. */
  constructor(
    readonly tried: readonly string[],
    install: string,
  ) {
    super(
      `no Redis: ${tried.join('; ')}. Three ways to get one: install redis-server or valkey-server (${install}); ` +
        'or start a Docker engine; or set FLOTILLA_REDIS_URL to a Redis you have (redis://user:password@host:6379)',
    );
  }
}

/** A Redis that was named or started does not answer. The message never holds the password. */
export class RedisUnreachable extends FlotillaError {
  readonly code = 'RedisUnreachable';
  readonly retry: Retry = 'backoff';
  constructor(
    readonly url: string,
    readonly because: string,
  ) {
    super(`Redis at ${url} does not answer: ${because}`);
  }
}

/** The file with the password of Redis cannot be used. The message never holds the password. */
export class UnusableRedisPassword extends FlotillaError {
  readonly code = 'UnusableRedisPassword';
  readonly retry: Retry = 'when-input-changes';
  constructor(file: string, why: string, setting: string) {
    super(`the password of Redis in ${file}: ${why}: check ${setting}`);
  }
}

/**
 * User, authority or client certificate for Redis cannot be used. The message never holds the content of a
 * file.
 */
export class UnusableRedisAccess extends FlotillaError {
  readonly code = 'UnusableRedisAccess';
  readonly retry: Retry = 'when-input-changes';
  constructor(message: string) {
    super(message);
  }
}

/** The value of FLOTILLA_REDIS_URL is not a Redis URL. `why` never holds text of the URL. */
export class InvalidRedisUrl extends FlotillaError {
  readonly code = 'InvalidRedisUrl';
  readonly retry: Retry = 'when-input-changes';
  constructor(why?: string) {
    super(
      `${why === undefined ? '' : `${why}: `}the Redis URL must look like redis://host:6379, ` +
        'rediss://user:password@host:6379/0 or redis+sentinel://user:password@host-1:26379,host-2:26379/master',
    );
  }
}

/** A Redis answers that the hub cannot work with. */
export class RedisUnusable extends FlotillaError {
  readonly code = 'RedisUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(url: string, why: string) {
    super(`Redis at ${url} ${why}`);
  }
}
