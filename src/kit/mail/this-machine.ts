/** Whether a host is this machine by its name or address. Pure. */
export const isThisMachine = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
