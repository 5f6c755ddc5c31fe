/**
 * A server's background work on its signing keys: it picks up changes that other processes made, and rotates the keys.
 */
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { repeatedly } from '../../gate/kernel/repeatedly.ts';
import { KeyWatch } from '../../keys/key-watch.ts';
import { rotateOnSchedule } from '../../keys/rotation-schedule.ts';
import type { OpenGate } from '../../open-gate.ts';

const ROTATION_EVERY_MS = 60_000;

/** Returns two functions. Call `start` when the server listens. */
export function careForKeys(
  { gate, signer, recordKeyChanges }: OpenGate,
  config: Config,
  { logger, onError }: { logger: Logger; onError: (error: unknown, what: string) => void },
): { start(): void; stop(): Promise<void> } {
  // A database that lost commits must not be written to.
  const unlessLost = async <T>(write: () => Promise<T>): Promise<T | undefined> =>
    gate.losses.intactUntil === null ? write() : undefined;
  const onKeys = {
    error: (error: unknown) => onError(error, 'the signing keys could not be read again'),
    change: () => unlessLost(recordKeyChanges),
  };
  const where = config.databaseUrl ? 'database' : { directory: config.dataDir };
  const watch = new KeyWatch(signer, where, onKeys);
  const stopHearing = [
    gate.bus.hear('keys', () => void watch.poll()),
    gate.bus.onMissed(() => void watch.poll()),
  ];
  const rotating = {
    rotateIfDue: (days: number) => unlessLost(() => signer.rotateIfDue(days)),
  };
  const onRotation = {
    error: (error: unknown) => onError(error, 'the signing key could not be rotated'),
    async rotated(kid: string) {
      logger.info({ kid }, 'the signing key was rotated');
      await recordKeyChanges();
    },
  };
  const rotate = () => rotateOnSchedule(rotating, config.signingKeys.rotationDays, onRotation);
  let stopRotating = async (): Promise<void> => {};
  return {
    start() {
      watch.start();
      stopRotating = repeatedly(ROTATION_EVERY_MS, rotate, onRotation.error, { firstAfterMs: 0 });
    },
    async stop() {
      for (const stop of stopHearing) stop();
      await watch.stop();
      await stopRotating();
    },
  };
}
