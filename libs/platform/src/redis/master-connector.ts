import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Asks Sentinels for the master and connects to it. The client's own connector goes on listening for
 * fail-overs when a connection is lost. Where it hears of one while it asks for the next connection, it ends
 * that attempt without another, and every command fails from then on (ioredis 6.0).
 */
export class MasterConnector extends SentinelConnector {
  /** `options`: those of the client, whose type does not say that they are of Sentinels. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...onError: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    this.disconnect(); // ends the listening that belongs to the connection before
    this.#askAnotherFirst();
    return super.connect(...onError);
  }

  /**
   * The client calls this once for each write that a demoted master refuses. Each call would add a listener
   * and a timer to the connections to Redis and to the Sentinels, which are ended by the first one.
   */
  override disconnect(): void {
    super.disconnect();
    Object.assign(this, { stream: undefined, failoverDetector: undefined });
  }

  /**
   * The Sentinel whose answer came to nothing is asked last. Without this, the client takes the end of its
   * list for the end of all Sentinels.
   */
  #askAnotherFirst(): void {
    this.sentinelIterator.next();
    this.sentinelIterator.reset(true);
  }
}
