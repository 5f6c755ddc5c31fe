/** The attack cannot start as requested. Exit code 2, which means neither passed nor failed. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
