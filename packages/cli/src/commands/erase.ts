import { type Command, Option } from 'commander';
import type { EraseFlags } from '../actions/erase.ts';
import { adminCommand, examples } from '../command-options.ts';
import { wholeNumber } from '../input/whole-number.ts';

const actions = () => import('../actions/erase.ts');

export function addEraseCommand(program: Command): void {
  adminCommand(program, 'erase', 'erase texts about people, for good')
    .description(
      'Erases texts about people, for good: of one intent, of one person, or of all that happened more than so many days ago. Hashes, ids and times stay, so permits, receipts and the audit chain verify as before. Backups keep what they hold.',
    )
    .addOption(new Option('--intent <id>', 'all texts of this intent').conflicts(['person', 'olderThan']))
    .addOption(
      new Option('--person <email|id>', 'whatever names this person, who has left the project').conflicts(
        'olderThan',
      ),
    )
    .addOption(
      new Option('--older-than <days>', 'all texts of what happened before').argParser(
        wholeNumber(1, 36_500),
      ),
    )
    .option(
      '--finish',
      'rewrite the files of the database, so that they hold no erased text; alone, or after an erasure (docs/retention.md)',
    )
    .addOption(
      new Option('--unfinished', 'list erasures whose texts the files may still hold').conflicts([
        'intent',
        'person',
        'olderThan',
        'finish',
        'project',
      ]),
    )
    .option('-y, --yes', 'do not ask; needed where there is no terminal')
    .addHelpText(
      'after',
      examples(
        'permitry erase --person ann@example.org',
        'permitry erase --older-than 365 --yes',
        'permitry erase --finish',
      ),
    )
    .action(async (flags: EraseFlags) => (await actions()).erase(flags));
}
