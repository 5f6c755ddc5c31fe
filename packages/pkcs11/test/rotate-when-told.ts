/**
 * A gate process that opens its keys, reports that, and rotates them on request: `rotate-when-told.ts DIRECTORY`, with
 * the token in the environment.
 */
import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import { KeyFolder } from '../../server/src/keys/key-folder.ts';
import { KEYS_IN_CLEAR_FILES } from '../../server/src/keys/key-settings.ts';
import { openSigningKeys } from '../../server/src/keys/signing-keys.ts';
import { FakeClock } from '../../server/test/fixtures/fake-clock.ts';

const {
  PERMITRY_PKCS11_MODULE: module,
  PERMITRY_PKCS11_TOKEN: tokenLabel,
  PERMITRY_PKCS11_PIN: pin,
} = process.env;
const [dataDir] = process.argv.slice(2);
if (!dataDir || !module || !tokenLabel || !pin)
  throw new Error('a directory, and a token in the environment');
const clock = new FakeClock();
const signer = await openSigningKeys({
  store: new KeyFolder(dataDir),
  clock,
  settings: {
    ...KEYS_IN_CLEAR_FILES,
    pkcs11: { module, tokenLabel, pin: createSecretKey(Buffer.from(pin)) },
  },
});
process.send?.('open');
await once(process, 'message');
clock.advance(3600);
// Retries like a gate's chores: SoftHSM sometimes fails while another process writes, and the next attempt succeeds.
const rotate = () => signer.rotateIfDue(0.01);
process.send?.((await rotate().catch(rotate).catch(rotate)) ?? 'not due');
await signer.close();
process.disconnect();
