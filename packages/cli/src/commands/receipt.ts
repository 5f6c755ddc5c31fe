import type { Command } from 'commander';
import { examples } from '../command-options.ts';
import { addReceiptVerifyCommand } from './receipt-verify.ts';

export function addReceiptCommands(program: Command): void {
  const receipt = program
    .command('receipt')
    .summary('receipts: check who approved, offline')
    .description('Receipts: signed evidence of approvals, checked offline and without trusting the gate.')
    .addHelpText('after', examples('permitry receipt verify receipt.json --approvers approver-keys.json'));
  addReceiptVerifyCommand(receipt);
}
