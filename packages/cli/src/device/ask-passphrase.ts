/** A person types the passphrase at a terminal. It is never an argument, a variable or a file. */

import { refused } from '../command-failure.ts';
import { askSecrets } from '../input/ask-secrets.ts';
import { sayVisibly } from '../printing/say.ts';

const FEWEST_CHARACTERS = 10;
const MOST_TRIES = 3;
const AT_A_TERMINAL = 'The passphrase of a device key must be typed at a terminal, and there is none here.';

/** Asks twice, because a typing error would lock the key forever. */
export function askNewPassphrase(): Promise<string> {
  return askSecrets(AT_A_TERMINAL, async (ask) => {
    const passphrase = await ask(
      `Choose a passphrase for this key, at least ${FEWEST_CHARACTERS} characters`,
    );
    if (passphrase === undefined) throw refused('No key was created.');
    if ([...passphrase].length < FEWEST_CHARACTERS)
      throw refused(`The passphrase is shorter than ${FEWEST_CHARACTERS} characters. No key was created.`);
    if ((await ask('Repeat the passphrase')) !== passphrase)
      throw refused('The two passphrases differ. No key was created.');
    return passphrase;
  });
}

/**
 * @param open Returns what the passphrase opens. Undefined for a wrong one, which the person may type again.
 * @throws CommandFailure after three wrong ones
 */
export function askPassphrase<T>(
  name: string,
  open: (passphrase: string) => Promise<T | undefined>,
): Promise<T> {
  return askSecrets(AT_A_TERMINAL, async (ask) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const passphrase = await ask(`Passphrase of the device key ${sayVisibly(name)}`);
      if (passphrase === undefined) break;
      const opened = await open(passphrase);
      if (opened !== undefined) return opened;
      process.stderr.write('Wrong passphrase.\n');
    }
    throw refused('Nothing was signed, and nothing was decided.');
  });
}
