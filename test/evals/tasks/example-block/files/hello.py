def greet(name):
    return "Hello, you!"
