/** The attack cannot begin as it was asked for: exit code 2, which is neither passed nor failed. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
