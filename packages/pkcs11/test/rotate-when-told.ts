/** A gate's process that opens its keys, says so, and rotates them when it is told to: `rotate-when-told.ts DIRECTORY`, with the token in the environment. */
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
// As a gate's chores do: SoftHSM fails now and then while another process writes, and the next sweep finds it well.
const rotate = () => signer.rotateIfDue(0.01);
process.send?.((await rotate().catch(rotate).catch(rotate)) ?? 'not due');
await signer.close();
process.disconnect();
