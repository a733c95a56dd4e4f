import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Asks Sentinels for the master and connects to it. The client's own connector keeps listening for fail-overs
 * after it loses a connection. If it hears of one while it asks for the next connection, it ends that attempt
 * without another. Every command then fails (ioredis 6.0).
 */
export class MasterConnector extends SentinelConnector {
  /** `options`: those of the client. Their type does not say that they are for Sentinels. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...onError: Parameters<SentinelConnector['connect']>): ReturnType<SentinelConnector['connect']> {
    this.disconnect(); // ends the listening that belongs to the connection before
    this.#askAnotherFirst();
    return super.connect(...onError);
  }

  /**
   * Ends the connections once. The client calls this for each write that a demoted master refuses. Each call
   * would add a listener and a timer to the connections to Redis and to the Sentinels, although the first
   * call ends them.
   */
  override disconnect(): void {
    super.disconnect();
    Object.assign(this, { stream: undefined, failoverDetector: undefined });
  }

  /**
   * Asks the Sentinel without a usable answer last. Without this, the client takes the end of its list for
   * the end of all Sentinels.
   */
  #askAnotherFirst(): void {
    this.sentinelIterator.next();
    this.sentinelIterator.reset(true);
  }
}
