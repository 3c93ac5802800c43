def run(): print("x")
